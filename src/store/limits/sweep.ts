import type { Knex } from 'knex';

const atOnce = 10_000;

/** Counters and leases whose time is over, taken away by whichever process comes first; none waits for another. */
export function sweepLimits(db: Knex, { everyMs = 10_000 } = {}): { stop(): void } {
  const sweep = async () => {
    let counters = atOnce;
    while (counters === atOnce) counters = await sweepCounters(db);
    await sweepLeases(db);
  };
  // One that fails is made up for by the next.
  const timer = setInterval(() => void sweep().catch(() => undefined), everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

async function sweepCounters(db: Knex): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `delete from limit_counters where key = any(array(
       select key from limit_counters where expire < :now order by expire limit :atOnce for update skip locked))`,
    { now: Date.now(), atOnce },
  );
  return rowCount;
}

const sweepLeases = (db: Knex) =>
  db.raw(
    `delete from limit_leases where key = any(array(
       select key from limit_leases where expires_at < clock_timestamp() order by expires_at limit :atOnce for update skip locked))`,
    { atOnce },
  );
