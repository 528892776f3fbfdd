import type { Knex } from 'knex';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Counters, Leases, Series } from '../../limits/ports.ts';
import { randomUUID } from 'node:crypto';
import { isId } from '../../ids.ts';

/** Tolerated difference between the clocks of processes. */
const clockToleranceMs = 5_000;

/** Counters that all processes share. Slots follow the clock of each process; the clocks must agree within one or two slots. */
export function createLimitCounters(db: Knex): Counters {
  const counters = new RateLimiterPostgres({
    storeClient: db,
    storeType: 'knex',
    tableName: 'limit_counters',
    tableCreated: true,
    // `sweepLimits` deletes expired rows more often.
    clearExpiredByTimeout: false,
    keyPrefix: '',
    points: 2 ** 31 - 1,
    duration: 60,
  });
  return {
    async add(all) {
      const [newest, older] = await Promise.all([
        Promise.all(all.map(async (series) => (await counters.penalty(newestKey(series), 1, lifetime(series))).consumedPoints)),
        readOlder(db, all),
      ]);
      return all.map((series, index) => [newest[index]!, ...olderSlots(series).map((slot) => older.get(keyOf(series, slot)) ?? 0)]);
    },
    async takeBack(all) {
      await Promise.all(all.map((series) => counters.reward(newestKey(series), 1, lifetime(series))));
    },
  };
}

const lifetime = ({ slotMs, slots }: Series) => ({ customDuration: (slotMs * slots + clockToleranceMs) / 1_000 });
const newestKey = (series: Series) => keyOf(series, series.newest);
const keyOf = ({ key, slotMs }: Series, slot: number) => `${key} ${slotMs} ${slot}`;
const olderSlots = ({ newest, slots }: Series) => Array.from({ length: slots - 1 }, (_, index) => newest - 1 - index);

async function readOlder(db: Knex, all: Series[]): Promise<Map<string, number>> {
  const keys = all.flatMap((series) => olderSlots(series).map((slot) => keyOf(series, slot)));
  const rows = await db('limit_counters').whereRaw('key = any(?)', [keys]).select<{ key: string; points: number }[]>('key', 'points');
  return new Map(rows.map(({ key, points }) => [key, points]));
}

/** Leases that all processes share. They expire by the clock of the database. */
export function createLimitLeases(db: Knex): Leases {
  return {
    async take(key, forMs) {
      const id = randomUUID();
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `insert into limit_leases as held (key, id, expires_at)
           values (:key, :id, clock_timestamp() + :forMs * interval '1 millisecond')
         on conflict (key) do update set id = excluded.id, expires_at = excluded.expires_at
           where held.expires_at <= clock_timestamp()
         returning id`,
        { key, id, forMs },
      );
      return rows.length > 0 ? id : undefined;
    },
    async release(id) {
      if (!isId(id)) return false;
      return (await db('limit_leases').where({ id }).whereRaw('expires_at > clock_timestamp()').delete()) > 0;
    },
  };
}

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
