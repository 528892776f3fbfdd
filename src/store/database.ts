import knex, { type Knex } from 'knex';
import pg from 'pg';
import { type PreparingConnection, dropUnused } from './sql/run-prepared.ts';
import { watchStatements } from './sql/statement-scope.ts';

const int8Oid = 20;
/** Sequences and counts stay far below 2^53, so they are read as numbers. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => (oid === int8Oid ? Number : pg.types.getTypeParser(oid, format ?? 'text')),
};

/** What the connections pass through. Unset: nothing, or a pooler that keeps the session. */
export type Pooler = 'transaction' | undefined;

export interface DatabaseOptions {
  pooler?: Pooler;
  poolSize?: number;
  connectTimeoutMs?: number;
  /** 0 disables it. Behind a pooler, the timeout of the role applies. */
  statementTimeoutMs?: number;
}

/** Divides the connections of a process: a quarter is reserved for searches that no index serves. */
export function divideConnections(poolSize: number): { db: number; searches: number } {
  const searches = Math.max(1, Math.floor(poolSize / 4));
  return { db: Math.max(1, poolSize - searches), searches };
}

/**
 * The timeouts limit how long a lost or stuck client can hold a lock or a connection. A pooler in transaction mode gives each transaction
 * another session, so the role must have these settings instead, and statements are planned for each use. `assertSettings` checks the settings.
 */
export function openDatabase(
  url: string,
  { pooler, poolSize = 10, connectTimeoutMs = 5_000, statementTimeoutMs = 30_000 }: DatabaseOptions = {},
): Knex {
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      application_name: 'rollcall',
      ...(pooler === undefined && {
        statement_timeout: statementTimeoutMs,
        lock_timeout: Math.min(statementTimeoutMs, 5_000),
        idle_in_transaction_session_timeout: 30_000,
        // Every query names its directory, so an index always serves it. Without this setting, a plan that was kept from when a table was
        // small would scan the whole table after it has grown.
        // JIT compilation of a long filter takes seconds and cannot be canceled. A search must use one processor only.
        options: '-c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0',
      }),
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types,
    } as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: poolSize,
      afterCreate(
        connection: Parameters<typeof watchStatements>[0] & PreparingConnection,
        done: (error: null, connection: unknown) => void,
      ) {
        if (pooler === undefined) dropUnused(connection);
        else omitNames(connection);
        watchStatements(connection);
        done(null, connection);
      },
    },
    acquireConnectionTimeout: connectTimeoutMs,
    // Otherwise the error message of a failed query would contain its values, which are personal data.
    compileSqlOnError: false,
    // Errors are thrown and logged by the caller. Knex would print them a second time.
    log: { warn: () => undefined, error: () => undefined },
  });
}

/** A session of a pooler does not know the statements that another one prepared. */
function omitNames(connection: PreparingConnection): void {
  const query = connection.query.bind(connection);
  connection.query = (config, ...rest) => query({ ...config, name: undefined }, ...rest);
}
