import { expect, it } from '@jest/globals';
import { scheduleBatches } from '../../src/direct/schedule-batches.ts';
import type { Leases } from '../../src/limits/ports.ts';
import { createLogger } from '../../src/logger.ts';
import { createLimitLeases } from '../../src/store/limits/counters.ts';
import { cloneDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const everyMs = 1_000;

it('does not deliver in a process that is late by most of an interval', async () => {
  const database = await cloneDatabase();
  const leases = createLimitLeases(database.db);
  /** When the other process asked for the leases that it took. */
  const askedAtMs = new Map<string, number>();
  const sinceAsked = (key: string) => Date.now() - (askedAtMs.get(key) ?? 0);
  const take: Leases['take'] = async (key, forMs) => {
    const startedAtMs = Date.now();
    const id = await leases.take(key, forMs);
    if (id !== undefined) askedAtMs.set(key, startedAtMs);
    return id;
  };
  const late: (string | undefined)[] = [];
  const takeLate: Leases['take'] = async (key, forMs) => {
    await until(() => sinceAsked(key) >= 0.6 * everyMs && sinceAsked(key) < everyMs, { everyMs: 5 });
    const id = await leases.take(key, forMs);
    // A response after the interval proves nothing.
    if (sinceAsked(key) < everyMs) late.push(id);
    return id;
  };
  let delivered = 0;
  const deliver = () => Promise.resolve(void (delivered += 1));
  const schedules = [take, takeLate].map((takes) =>
    scheduleBatches({ everyMs, deliver, leases: { take: takes }, log: createLogger('silent') }),
  );
  await until(() => late.length >= 2);
  await Promise.all(schedules.map((schedule) => schedule.stop()));
  await database.drop();
  expect(late.filter((id) => id !== undefined)).toEqual([]);
  expect(delivered).toBeGreaterThan(1);
});
