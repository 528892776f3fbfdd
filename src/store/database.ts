import knex, { type Knex } from 'knex';
import pg from 'pg';
import { watchStatements } from './sql/statement-scope.ts';

const int8Oid = 20;
/** Sequences and counts stay far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => (oid === int8Oid ? Number : pg.types.getTypeParser(oid, format ?? 'text')),
};

export interface DatabaseOptions {
  poolSize?: number;
  connectTimeoutMs?: number;
  /** 0 for a migration, which takes as long as it takes. */
  statementTimeoutMs?: number;
}

/** The connections of a process: some are for searches that no index serves, and never for anything else. */
export function divideConnections(poolSize: number): { db: number; searches: number } {
  const searches = Math.max(1, Math.floor(poolSize / 4));
  return { db: Math.max(1, poolSize - searches), searches };
}

/** The timeouts bound what a lost or stuck client can hold: a lock, a connection, a directory. */
export function openDatabase(
  url: string,
  { poolSize = 10, connectTimeoutMs = 5_000, statementTimeoutMs = 30_000 }: DatabaseOptions = {},
): Knex {
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      application_name: 'rollcall',
      statement_timeout: statementTimeoutMs,
      lock_timeout: Math.min(statementTimeoutMs, 5_000),
      idle_in_transaction_session_timeout: 30_000,
      // Every query names its directory, so an index always serves. A plan that was made and kept while a table was small would read
      // all of it when it has grown.
      // Compiling a long filter would take seconds, which nothing can cancel; and one search is to use one processor.
      options: '-c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types,
    } as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: poolSize,
      afterCreate(connection: Parameters<typeof watchStatements>[0], done: (error: null, connection: unknown) => void) {
        watchStatements(connection);
        done(null, connection);
      },
    },
    acquireConnectionTimeout: connectTimeoutMs,
    // A failed query's message would otherwise carry its values, which are people's data.
    compileSqlOnError: false,
    // What fails is thrown too; knex would also print it, beside the log.
    log: { warn: () => undefined, error: () => undefined },
  });
}
