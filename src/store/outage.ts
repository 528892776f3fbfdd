import { AppError } from '../errors.ts';
import { createStatementScope } from './sql/statement-scope.ts';

/** Connection failures of Node, class 08 and 57 of Postgres, and a cluster that is full, starting, read-only or shutting down. */
const outageCodes =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08...|57P0.|53[0-9]{3}|25006|55P03|57014|40001|40P01|25P03)$/;
/** Connections that were lost without a code; knex puts the statement, without its values, before them. */
const outageMessages =
  /(^| - )(Connection terminated( unexpectedly| due to connection timeout)?|timeout expired|Client has encountered a connection error and is not queryable|Client was closed and is not queryable|Connection ended unexpectedly|Unable to acquire a connection)$/;

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (typeof code === 'string' && outageCodes.test(code)) return true;
  if (constraint === 'mutations_pkey') return true;
  return error.name === 'KnexTimeoutError' || error.name === 'AggregateError' || outageMessages.test(error.message);
}

/**
 * Every operation of a store, with an absent database told as `unavailable`: our failure is never the caller's 404.
 * With a patience so is one that takes longer: whoever asked waits no longer, and its statements are cancelled in Postgres.
 */
export function tellingOutages<Store extends object>(store: Store, { patienceMs }: { patienceMs?: number } = {}): Store {
  return Object.fromEntries(
    Object.entries(store as Record<string, (...args: unknown[]) => Promise<unknown>>).map(([name, operation]) => [
      name,
      async (...args: unknown[]) => {
        try {
          return await (patienceMs === undefined ? operation(...args) : inTime(() => operation(...args), patienceMs));
        } catch (error) {
          if (isOutage(error)) throw unavailable(error);
          throw error;
        }
      },
    ]),
  ) as Store;
}

function inTime<T>(run: () => Promise<T>, patienceMs: number): Promise<T> {
  const scope = createStatementScope();
  const timer = setTimeout(() => scope.end(unavailable(new Error(`no answer within ${patienceMs} ms`))), patienceMs);
  const running = scope.run(run);
  const stopTimer = () => clearTimeout(timer);
  running.then(stopTimer, stopTimer);
  return running;
}

const unavailable = (cause: unknown) =>
  new AppError('unavailable', isDiskFull(cause) ? diskFull : 'The database does not answer; try again.', { cause });

const isDiskFull = (cause: unknown) => (cause as { code?: unknown }).code === '53100';
const diskFull = 'The disk of the database is full. Nothing was changed; try again later.';
