import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Counters, Series } from './ports.ts';

interface MemoryCountersOptions {
  /** Counters that are kept one by one; when there are more, new keys share some. */
  maxKeys?: number;
  /** What is as many as somebody configured, and never shared. */
  isFew?: (key: string) => boolean;
}

interface Slot {
  counts: RateLimiterMemory;
  keys: number;
  isShared: boolean;
}

const sharedKeys = 4_096;

/**
 * Each slot of time has a limiter without an expiry, and is let go as a whole: a timer for every key would cost more than the counts.
 * Under a flood of keys new ones share counters, so that memory is bounded and nobody is counted less than was sent.
 */
export function createMemoryCounters({ maxKeys = 250_000, isFew = () => false }: MemoryCountersOptions = {}): Counters {
  const lengths = new Map<number, Map<number, Slot>>();
  let keys = 0;

  return {
    add: (all) => Promise.all(all.map(add)),
    async takeBack(all) {
      await Promise.all(
        all.map(async ({ key, slotMs, newest }) => {
          const slot = lengths.get(slotMs)?.get(newest);
          if (slot) await slot.counts.reward(await keyIn(slot, key));
        }),
      );
    },
  };

  // No step of it waits for anything but promises that are fulfilled: nothing comes between a look and a count that matters.
  async function add({ key, slotMs, newest, slots }: Series): Promise<number[]> {
    const slot = slotAt(slotMs, newest, slots);
    const known = await keyIn(slot, key);
    const { consumedPoints, isFirstInDuration } = await slot.counts.penalty(known);
    if (isFirstInDuration) {
      slot.keys += 1;
      keys += 1;
    }
    const counts = [consumedPoints];
    const all = lengths.get(slotMs)!;
    for (let age = 1; age < slots; age += 1) {
      const older = all.get(newest - age);
      counts.push(older ? await read(older, key) : 0);
    }
    return counts;
  }

  function slotAt(slotMs: number, index: number, slots: number): Slot {
    let all = lengths.get(slotMs);
    if (!all) lengths.set(slotMs, (all = new Map()));
    const present = all.get(index);
    if (present) return present;
    for (const [old, { keys: gone }] of all) {
      if (old > index - slots) continue;
      all.delete(old);
      keys -= gone;
    }
    const slot = {
      counts: new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 0, keyPrefix: '' }),
      keys: 0,
      isShared: false,
    };
    all.set(index, slot);
    return slot;
  }

  async function keyIn(slot: Slot, key: string): Promise<string> {
    if ((keys < maxKeys && !slot.isShared) || isFew(key)) return key;
    if (await slot.counts.get(key)) return key;
    slot.isShared = true;
    return sharedKey(key);
  }

  async function read({ counts, isShared }: Slot, key: string): Promise<number> {
    const own = await counts.get(key);
    if (own) return own.consumedPoints;
    return isShared ? ((await counts.get(sharedKey(key)))?.consumedPoints ?? 0) : 0;
  }
}

function sharedKey(key: string): string {
  let hash = 0;
  for (let index = 0; index < key.length; index += 1) hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
  return `#${(hash >>> 0) % sharedKeys}`;
}
