import type { Knex } from 'knex';

/**
 * Checks whether the database's disk is full. A sort that exceeds `work_mem` makes Postgres write a temporary file of four megabytes, which
 * fails on a full disk and leaves nothing behind.
 */
export async function probeDisk(db: Knex): Promise<'room' | 'full'> {
  try {
    await db.transaction(async (trx) => {
      await trx.raw(`set local work_mem = '64kB'`);
      await trx.raw(`set local statement_timeout = '2s'`);
      await trx.raw(
        `select max(length(filler)) from (
           select n, repeat('x', 1000) as filler from generate_series(1, 4000) n order by n desc offset 0
         ) sorted`,
      );
    });
    return 'room';
  } catch (error) {
    if ((error as { code?: unknown }).code === '53100') return 'full';
    throw error;
  }
}
