import { expect, it } from '@jest/globals';
import { createRecentMap } from '../../src/shared/recent-map.ts';

it('keeps at least the newest half, and never more than the maximum', () => {
  const map = createRecentMap<number>(100);
  expect(map.isEmpty()).toBe(true);
  for (let number = 0; number < 1_000; number += 1) {
    map.set(`key ${number}`, number);
    const held = Array.from({ length: number + 1 }, (_, index) => index).filter((index) => map.get(`key ${index}`) === index);
    expect(held.length).toBeLessThanOrEqual(100);
    expect(held.slice(-50)).toEqual(Array.from({ length: Math.min(50, number + 1) }, (_, index) => number - Math.min(49, number) + index));
  }
});

it('returns the newest value of a key, whichever generation it is in', () => {
  const map = createRecentMap<string>(4);
  map.set('a', 'first');
  map.set('b', 'b');
  map.set('c', 'c');
  map.set('a', 'second');
  expect(map.get('a')).toBe('second');
  for (const key of ['d', 'e', 'f']) map.set(key, key);
  expect(map.get('b')).toBeUndefined();
});

function measure(from: number, map: ReturnType<typeof createRecentMap<number>>): number {
  const start = process.cpuUsage();
  for (let number = from; number < from + 50_000; number += 1) map.set(`key ${number}`, number);
  return process.cpuUsage(start).user / 50_000;
}

it('takes as long for a new key when it is full as before', () => {
  const map = createRecentMap<number>(50_000);
  const [filling, full] = [measure(0, map), measure(50_000, map)];
  process.stdout.write(`A key of 50,000: ${filling.toFixed(2)} µs while they are filled, ${full.toFixed(2)} µs then\n`);
  expect(full).toBeLessThan(15);
});
