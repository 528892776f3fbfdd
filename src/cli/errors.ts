import { AppError, StartupError } from '../errors.ts';
import type { ExitCode } from './exit-codes.ts';

/** The command line itself is invalid. The message names the argument and shows an example. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed. The message is a sentence for the person at the terminal. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** The API field at fault, if there is one. */
  readonly field: string | undefined;

  constructor(exitCode: ExitCode, message: string, field?: string) {
    super(message);
    this.exitCode = exitCode;
    this.field = field;
  }
}

/** The sentence of an expected error; any other error unchanged. */
export function describeError(error: unknown): unknown {
  if (error instanceof StartupError) return error.message;
  if (error instanceof AppError && error.code === 'unavailable')
    return `Lost the connection to Postgres during startup (${reasonOf(error.cause)}). Nothing is lost; start again to continue.`;
  return error;
}

/** knex puts the statement before the reason. */
const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message.split(' - ').at(-1) : String(cause));
