import type { Knex } from 'knex';

const batchSize = 10_000;

/** Deletes expired counters and leases. Every process does this, and none waits for another. */
export function sweepLimits(db: Knex, { everyMs = 10_000 } = {}): { stop(): void } {
  const sweep = async () => {
    let counters = batchSize;
    while (counters === batchSize) counters = await sweepCounters(db);
    await sweepLeases(db);
  };
  // After a failure the next sweep catches up.
  const timer = setInterval(() => void sweep().catch(() => undefined), everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

async function sweepCounters(db: Knex): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `delete from limit_counters where key = any(array(
       select key from limit_counters where expire < :now order by expire limit :batchSize for update skip locked))`,
    { now: Date.now(), batchSize },
  );
  return rowCount;
}

const sweepLeases = (db: Knex) =>
  db.raw(
    `delete from limit_leases where key = any(array(
       select key from limit_leases where expires_at < clock_timestamp() order by expires_at limit :batchSize for update skip locked))`,
    { batchSize },
  );
