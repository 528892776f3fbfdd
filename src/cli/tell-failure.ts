import { AppError, StartupError } from '../errors.ts';

/** What a person is told of an error: a sentence if it is an expected one, else all there is. */
export function tellFailure(error: unknown): unknown {
  if (error instanceof StartupError) return error.message;
  if (error instanceof AppError && error.code === 'unavailable')
    return `Postgres went away during the start (${reasonOf(error.cause)}): start again, and it goes on from there; nothing is lost.`;
  return error;
}

/** knex puts the statement before the reason. */
const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message.split(' - ').at(-1) : String(cause));
