import type { Knex } from 'knex';
import { until } from './until.ts';

/**
 * Waits until everything that is committed now is readable in the feed across directories: until every transaction that is open in the
 * cluster has ended. Other tests use the same cluster.
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
