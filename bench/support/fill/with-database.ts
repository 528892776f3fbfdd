import type { Knex } from 'knex';
import { openDatabase } from '../../../src/store/database.ts';

/** Beside the service, which knows nothing of it. */
export async function withDatabase<Result>(url: string, fill: (db: Knex) => Promise<Result>): Promise<Result> {
  const db = openDatabase(url, { poolSize: 1, statementTimeoutMs: 0 });
  try {
    return await fill(db);
  } finally {
    await db.destroy();
  }
}
