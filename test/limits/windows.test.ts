import { expect, it } from '@jest/globals';
import { createMemoryCounters } from '../../src/limits/memory-counters.ts';
import { createWindows } from '../../src/limits/windows.ts';

function createClockedWindows(limit: { rps: number; rpm: number }, startMs = 1_700_000_000_000) {
  let nowMs = startMs;
  const windows = createWindows({ counters: createMemoryCounters(), now: () => nowMs });
  return {
    at: (ms: number) => void (nowMs = startMs + ms),
    async take(key = 'a') {
      return (await windows.take([{ key, limit }]))[0]!;
    },
    /** How many of these concurrent requests are allowed. */
    async burst(count: number, key = 'a') {
      const verdicts = await Promise.all(Array.from({ length: count }, async () => windows.take([{ key, limit }])));
      return verdicts.filter(([verdict]) => verdict!.isAllowed).length;
    },
  };
}

it.each([0, 1, 49, 99, 50_000, 59_999])(
  'allows no double burst at the edge of a minute, wherever a minute begins (%i ms)',
  async (offsetMs) => {
    const { at, burst } = createClockedWindows({ rps: 1_000, rpm: 300 }, 1_700_000_000_000 + offsetMs);
    expect(await burst(1)).toBe(1);
    at(55_000);
    expect(await burst(1_000)).toBe(299);
    for (const ms of [56_000, 57_000, 58_500, 59_999, 60_001, 61_000]) {
      at(ms);
      expect(await burst(1_000)).toBeLessThanOrEqual(1);
    }
  },
);

it.each([0, 37, 99])('allows no double burst at the edge of a second (%i ms)', async (offsetMs) => {
  const { at, burst } = createClockedWindows({ rps: 10, rpm: 1_000 }, 1_700_000_000_000 + offsetMs);
  at(850);
  expect(await burst(100)).toBe(10);
  for (const ms of [900, 999, 1_000, 1_100, 1_500, 1_700]) {
    at(ms);
    expect(await burst(100)).toBe(0);
  }
  at(1_850);
  expect(await burst(100)).toBe(10);
});

it('never rejects a client that keeps to the limit evenly', async () => {
  const { at, take } = createClockedWindows({ rps: 10, rpm: 300 });
  for (let sent = 0; sent < 900; sent += 1) {
    at(sent * 200);
    expect((await take()).isAllowed).toBe(true);
  }
});

it('allows the full limit to a client that sends without a pause: rejections do not count', async () => {
  const { at, take } = createClockedWindows({ rps: 2, rpm: 1_000 });
  let allowed = 0;
  for (let ms = 0; ms < 10_000; ms += 10) {
    at(ms);
    if ((await take()).isAllowed) allowed += 1;
  }
  expect(allowed).toBeGreaterThanOrEqual(20);
  expect(allowed).toBeLessThanOrEqual(23);
});

it('returns a wait after which a request is allowed', async () => {
  const { at, burst, take } = createClockedWindows({ rps: 3, rpm: 5 });
  expect(await burst(3)).toBe(3);
  const { waitMs } = await take();
  at(waitMs - 1);
  expect((await take()).isAllowed).toBe(false);
  at(waitMs);
  expect(await burst(3)).toBe(2);
  const rejected = await take();
  expect(rejected.waitMs).toBeGreaterThan(50_000);
  at(waitMs + rejected.waitMs);
  expect((await take()).isAllowed).toBe(true);
});

it('counts each key separately, and a request with several keys under all of them or none', async () => {
  let nowMs = 0;
  const windows = createWindows({ counters: createMemoryCounters(), now: () => nowMs });
  const narrow = { key: 'narrow', limit: { rps: 1, rpm: 10 } };
  const wide = { key: 'wide', limit: { rps: 3, rpm: 30 } };
  const isAllowed = async (...keys: (typeof wide)[]) => (await windows.take(keys)).every((verdict) => verdict.isAllowed);
  expect(await isAllowed(narrow, wide)).toBe(true);
  for (let round = 0; round < 5; round += 1) expect(await isAllowed(narrow, wide)).toBe(false);
  expect([await isAllowed(wide), await isAllowed(wide), await isAllowed(wide)]).toEqual([true, true, false]);
  nowMs = 1_000;
  expect(await isAllowed(narrow, wide)).toBe(true);
});

it('allows concurrent requests no more than sequential ones', async () => {
  const { burst } = createClockedWindows({ rps: 25, rpm: 1_000 });
  expect(await burst(500)).toBe(25);
});

it('returns what is left, also for rejected requests', async () => {
  const { at, take } = createClockedWindows({ rps: 2, rpm: 10 });
  const remaining = async () => (await take()).windows.map((window) => window.remaining);
  expect([await remaining(), await remaining(), await remaining()]).toEqual([
    [1, 9],
    [0, 8],
    [0, 8],
  ]);
  at(1_000);
  expect(await remaining()).toEqual([1, 7]);
});
