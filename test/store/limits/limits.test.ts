import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWindows } from '../../../src/limits/windows.ts';
import { createLimitCounters, createLimitLeases, sweepLimits } from '../../../src/store/limits/counters.ts';
import { cloneDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const startMs = Math.floor(Date.now() / 3_000) * 3_000;
const newest = Math.floor(startMs / 100);
const series = (key: string, slot = newest) => ({ key, slotMs: 100, newest: slot, slots: 3 });

describe('counters', () => {
  it('return the newest slots, newest first', async () => {
    const counters = createLimitCounters(database.db);
    const add = async (slot: number) => (await counters.add([series('a', slot)]))[0];
    expect(await add(newest)).toEqual([1, 0, 0]);
    expect(await add(newest)).toEqual([2, 0, 0]);
    expect(await add(newest + 2)).toEqual([1, 0, 2]);
    expect(await add(newest + 3)).toEqual([1, 1, 0]);
  });

  it('take back rejected requests', async () => {
    const counters = createLimitCounters(database.db);
    await counters.add([series('b'), series('c')]);
    await counters.takeBack([series('b')]);
    expect(await counters.add([series('b'), series('c')])).toEqual([
      [1, 0, 0],
      [2, 0, 0],
    ]);
  });

  it('enforce one limit across concurrent callers', async () => {
    const all = Array.from({ length: 4 }, () => createWindows({ counters: createLimitCounters(database.db), now: () => startMs }));
    const keys = [{ key: 'together', limit: { rps: 100, rpm: 20 } }];
    const verdicts = await Promise.all(Array.from({ length: 100 }, async (_, index) => all[index % 4]!.take(keys)));
    expect(verdicts.filter(([verdict]) => verdict!.isAllowed)).toHaveLength(20);
  });

  it('slide like the counters in memory', async () => {
    let nowMs = startMs;
    const windows = createWindows({ counters: createLimitCounters(database.db), now: () => nowMs });
    const take = async () => (await windows.take([{ key: 'sliding', limit: { rps: 2, rpm: 5 } }]))[0]!;
    const isAllowed = async () => (await take()).isAllowed;
    expect([await isAllowed(), await isAllowed(), await isAllowed()]).toEqual([true, true, false]);
    nowMs += 1_000;
    expect([await isAllowed(), await isAllowed(), await isAllowed()]).toEqual([true, true, false]);
    nowMs += 1_000;
    expect([await isAllowed(), await isAllowed()]).toEqual([true, false]);
    const { waitMs } = await take();
    expect(waitMs).toBe(58_000);
    nowMs += waitMs;
    expect([await isAllowed(), await isAllowed()]).toEqual([true, true]);
  });
});

describe('leases', () => {
  it('are granted to only one of several concurrent callers', async () => {
    const all = Array.from({ length: 20 }, () => createLimitLeases(database.db).take('key', 60_000));
    expect((await Promise.all(all)).filter(Boolean)).toHaveLength(1);
  });

  it('can be released once, and are free then', async () => {
    const leases = createLimitLeases(database.db);
    const id = (await leases.take('released', 60_000))!;
    expect(await leases.take('released', 60_000)).toBeUndefined();
    expect([await leases.release(id), await leases.release(id), await leases.release('no id')]).toEqual([true, false, false]);
    expect(await leases.take('released', 60_000)).toBeDefined();
  });

  it('expire, and can then be taken by another caller', async () => {
    const leases = createLimitLeases(database.db);
    const id = (await leases.take('ended', 50))!;
    const next = await until(() => leases.take('ended', 60_000));
    expect(await leases.release(id)).toBe(false);
    expect(await leases.take('ended', 60_000)).toBeUndefined();
    expect(await leases.release(next)).toBe(true);
  });
});

it('deletes all expired counters and leases', async () => {
  const { db } = database;
  await db.raw(`insert into limit_counters select 'old ' || n, 1, 1000 from generate_series(1, 25000) n`);
  await db.raw(`insert into limit_leases select 'old ' || n, gen_random_uuid(), now() - interval '1 second' from generate_series(1, 10) n`);
  const held = await createLimitLeases(db).take('held', 60_000);
  const counted = await createLimitCounters(db).add([series('counted')]);
  const sweep = sweepLimits(db, { everyMs: 20 });
  try {
    await until(async () => {
      const [counters, leases] = await Promise.all([
        db('limit_counters').where('key', 'like', 'old %'),
        db('limit_leases').where('key', 'like', 'old %'),
      ]);
      return counters.length === 0 && leases.length === 0;
    });
  } finally {
    sweep.stop();
  }
  expect(await createLimitLeases(db).release(held!)).toBe(true);
  expect((await createLimitCounters(db).add([series('counted')]))[0]![0]).toBe(counted[0]![0]! + 1);
});
