import type { Knex } from 'knex';
import { until } from './until.ts';

/**
 * Waits until all that is committed now can be read across directories: until every transaction has ended that is open anywhere in the
 * cluster, where other tests are at work.
 */
export async function untilReadable(db: Knex): Promise<void> {
  const { rows } = await db.raw<{ rows: { next: string }[] }>('select pg_snapshot_xmax(pg_current_snapshot()) as next');
  await until(
    async () => {
      const response = await db.raw<{ rows: { done: boolean }[] }>(
        'select pg_snapshot_xmin(pg_current_snapshot()) >= cast(? as xid8) as done',
        rows[0]!.next,
      );
      return response.rows[0]!.done;
    },
    { timeoutMs: 60_000, everyMs: 5 },
  );
}
