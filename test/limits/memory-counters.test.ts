import { expect, it } from '@jest/globals';
import { createMemoryCounters } from '../../src/limits/memory-counters.ts';

const series = (key: string, newest = 0) => ({ key, slotMs: 100, newest, slots: 3 });

it('returns the newest slots, newest first, and forgets older ones', async () => {
  const counters = createMemoryCounters();
  const add = async (newest: number) => (await counters.add([series('a', newest)]))[0];
  expect(await add(7)).toEqual([1, 0, 0]);
  expect(await add(7)).toEqual([2, 0, 0]);
  expect(await add(8)).toEqual([1, 2, 0]);
  expect(await add(9)).toEqual([1, 1, 2]);
  expect(await add(10)).toEqual([1, 1, 1]);
  expect(await add(50)).toEqual([1, 0, 0]);
});

it('undoes rejected requests', async () => {
  const counters = createMemoryCounters();
  await counters.add([series('a'), series('b')]);
  await counters.takeBack([series('a')]);
  expect(await counters.add([series('a'), series('b')])).toEqual([
    [1, 0, 0],
    [2, 0, 0],
  ]);
});

it('undoes a request of an earlier slot, also after later slots have read its count', async () => {
  const counters = createMemoryCounters();
  await counters.add([series('a', 0)]);
  expect(await counters.add([series('a', 1)])).toEqual([[1, 1, 0]]);
  await counters.takeBack([series('a', 0)]);
  expect(await counters.add([series('a', 1)])).toEqual([[2, 0, 0]]);
  expect(await counters.add([series('a', 2)])).toEqual([[1, 2, 0]]);
});

it('returns the counts of that moment', async () => {
  const counters = createMemoryCounters();
  const first = await counters.add([series('a')]);
  await counters.add([series('a')]);
  expect(first).toEqual([[1, 0, 0]]);
});

it('shares counters among new keys if there are too many, and never counts too little', async () => {
  const counters = createMemoryCounters({ maxKeys: 1_000, isBounded: (key) => key.startsWith('project') });
  for (let index = 0; index < 1_000; index += 1) await counters.add([series(`early ${index}`)]);
  for (let index = 0; index < 20_000; index += 1) await counters.add([series(`late ${index}`)]);
  expect((await counters.add([series('early 3')]))[0]![0]).toBe(2);
  expect((await counters.add([series('late 3')]))[0]![0]).toBeGreaterThanOrEqual(2);
  expect((await counters.add([series('project a')]))[0]![0]).toBe(1);
  expect((await counters.add([series('late 3', 1)]))[0]![1]).toBeGreaterThanOrEqual(2);
  expect((await counters.add([series('project b', 1)]))[0]).toEqual([1, 0, 0]);
});

it('gives keys their own counters again when the crowded slots have expired', async () => {
  const counters = createMemoryCounters({ maxKeys: 1_000 });
  for (let index = 0; index < 5_000; index += 1) await counters.add([series(`old ${index}`)]);
  for (let index = 0; index < 1_000; index += 1) expect((await counters.add([series(`new ${index}`, 10)]))[0]).toEqual([1, 0, 0]);
});
