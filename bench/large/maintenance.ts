import type { Knex } from 'knex';
import { trimHistory, applyRetention } from '../../src/directory/maintenance/retention.ts';
import { readBacklog } from '../../src/store/deliveries/delivery-state.ts';
import { createRetentionStore, createSkipOldEvents } from '../../src/store/deliveries/retention-store.ts';
import { createFindStalled } from '../../src/store/deliveries/wake-flags.ts';
import { createTrimStore } from '../../src/store/directories/trim-store.ts';
import { formatNumber, startTable } from '../support/table.ts';

export interface Task {
  title: string;
  seconds: number;
  walBytes: number;
  result: unknown;
}

const keptMs = 7 * 86_400_000;

/** Measures the tasks of the sweep, which runs each minute, and of retention, which runs each hour. Retention is last, because it deletes. */
export async function measureMaintenance(db: Knex, signal: AbortSignal): Promise<Task[]> {
  const retention = createRetentionStore(db);
  const steps: [title: string, run: () => Promise<unknown>][] = [
    ['sweep: stalled deliveries', () => createFindStalled(db, { inBatches: false })(500, 30_000)],
    ['sweep: history above quotas', () => trimHistory(createTrimStore(db))],
    ['metrics: backlog', readBacklog(db)],
    ['library: events read by nobody', () => createSkipOldEvents(db)(keptMs)],
    ['retention, an eighth of all rows', () => applyRetention(retention, keptMs, { signal })],
    ['retention, nothing to delete', () => applyRetention(retention, keptMs, { signal })],
  ];
  const print = startTable([
    { title: 'task', width: 34 },
    { title: 'seconds', width: 8 },
    { title: 'WAL MiB', width: 8 },
    { title: 'result', width: 50 },
  ]);
  const tasks: Task[] = [];
  for (const [title, run] of steps) {
    const task = { title, ...(await measureTask(db, run)) };
    tasks.push(task);
    print([title, formatNumber(task.seconds), (task.walBytes / 1_048_576).toFixed(0), (JSON.stringify(task.result) ?? '').slice(0, 50)]);
  }
  return tasks;
}

export async function measureTask(db: Knex, run: () => Promise<unknown>): Promise<Omit<Task, 'title'>> {
  const startLsn = await readLsn(db);
  const startedMs = performance.now();
  const result = await run();
  const seconds = (performance.now() - startedMs) / 1000;
  const { rows } = await db.raw<{ rows: [{ bytes: string }] }>(`select pg_wal_lsn_diff(pg_current_wal_lsn(), cast(? as pg_lsn)) as bytes`, [
    startLsn,
  ]);
  return { seconds, walBytes: Number(rows[0].bytes), result };
}

async function readLsn(db: Knex): Promise<string> {
  const { rows } = await db.raw<{ rows: [{ lsn: string }] }>('select cast(pg_current_wal_lsn() as text) as lsn');
  return rows[0].lsn;
}
