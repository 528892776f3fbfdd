import type { Knex } from 'knex';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Counters, Series } from '../../limits/ports.ts';

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
