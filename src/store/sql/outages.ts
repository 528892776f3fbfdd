import { AppError, StatementTimeoutError } from '../../errors.ts';
import { cancelAfter } from './statement-scope.ts';

/** Connection failures in Node; Postgres classes 08 and 53; a server that is starting, shutting down or read-only; timeouts and deadlocks. */
const outageCodes =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08...|57P0.|53[0-9]{3}|25006|55P03|57014|40001|40P01|25P03)$/;
/** Messages of lost connections that have no code. Knex puts the statement, without its values, before the message. */
const outageMessages =
  /(^| - )(Connection terminated( unexpectedly| due to connection timeout)?|timeout expired|Client has encountered a connection error and is not queryable|Client was closed and is not queryable|Connection ended unexpectedly|Unable to acquire a connection)$/;

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (typeof code === 'string' && outageCodes.test(code)) return true;
  if (constraint === 'mutations_pkey') return true;
  return error.name === 'KnexTimeoutError' || error.name === 'AggregateError' || outageMessages.test(error.message);
}

/** One statement failed in a database that responds: a lock, a time limit or a deadlock. */
const statementCodes = /^(55P03|57014|40001|40P01|25P03|23505)$/;

export const isDatabaseAway = (error: unknown): boolean =>
  isOutage(error) && !statementCodes.test(String((error as { code?: unknown }).code));

/**
 * Wraps every operation of a store: a database outage fails with `unavailable`, never with a client error. With `timeoutMs`, an operation
 * that takes longer also fails with `unavailable`. Its statements are then canceled in Postgres, as they are when the caller's scope ends.
 */
export function translateOutages<Store extends object>(store: Store, { timeoutMs }: { timeoutMs?: number } = {}): Store {
  return Object.fromEntries(
    Object.entries(store as Record<string, (...args: unknown[]) => Promise<unknown>>).map(([name, operation]) => [
      name,
      async (...args: unknown[]) => {
        try {
          return await (timeoutMs === undefined ? operation(...args) : cancelAfter(timeoutMs, () => operation(...args), unavailable));
        } catch (error) {
          if (isOutage(error)) throw unavailable(error);
          throw error;
        }
      },
    ]),
  ) as Store;
}

function unavailable(cause: unknown): AppError {
  if (hasCode(cause, '57014')) return new StatementTimeoutError('unavailable', notResponding, { cause });
  return new AppError('unavailable', hasCode(cause, '53100') ? diskFull : notResponding, { cause });
}

const hasCode = (cause: unknown, code: string) => (cause as { code?: unknown }).code === code;
const notResponding = 'The database does not respond; try again.';
const diskFull = 'The disk of the database is full. Nothing was changed; try again later.';
