import type { Knex } from 'knex';

/**
 * Sorts more than fits `work_mem`, so that Postgres writes a temporary file of four megabytes beside its data: that fails on a full disk,
 * leaves nothing behind, and asks for no table.
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
