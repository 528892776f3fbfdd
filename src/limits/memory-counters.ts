import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Counters, Leases, Series } from './ports.ts';
import { randomUUID } from 'node:crypto';

interface MemoryCountersOptions {
  /** Maximum number of separate counters. Beyond it, new keys share counters. */
  maxKeys?: number;
  /** Whether the number of such keys is bounded by configuration. They are never shared. */
  isBounded?: (key: string) => boolean;
}

interface Slot {
  counts: RateLimiterMemory;
  keys: number;
  isShared: boolean;
  /** The final counts. A past slot is only read, and often, so it is read without promises. */
  sealed?: Map<string | number, number>;
}

const sharedKeys = 4_096;

/**
 * Each time slot has a limiter without expiry and is dropped as a whole: a timer per key would cost more than the counts. Under a flood of
 * keys, new keys share counters, so memory is bounded and no key is counted too low.
 */
export function createMemoryCounters({ maxKeys = 250_000, isBounded = () => false }: MemoryCountersOptions = {}): Counters {
  const lengths = new Map<number, Map<number, Slot>>();
  let keys = 0;

  return {
    // Promises dominate the cost, and more so in a traced service.
    add: (all) => Promise.all(all.map(countNewest)).then((counted) => all.map((series, index) => withOlder(counted[index]!, series))),
    async takeBack(all) {
      for (const { key, slotMs, newest } of all) {
        const slot = lengths.get(slotMs)?.get(newest);
        if (slot) await reward(slot, isCrowded(slot, key) ? await keyIn(slot, key) : key);
      }
    },
  };

  function countNewest(series: Series): Promise<RateLimiterRes> {
    const slot = slotAt(series);
    if (!isCrowded(slot, series.key)) return slot.counts.penalty(series.key);
    return keyIn(slot, series.key).then((key) => slot.counts.penalty(key));
  }

  function withOlder({ consumedPoints, isFirstInDuration }: RateLimiterRes, { key, slotMs, newest, slots }: Series): number[] {
    const all = lengths.get(slotMs)!;
    const slot = all.get(newest);
    if (isFirstInDuration && slot) {
      slot.keys += 1;
      keys += 1;
    }
    const counts = [consumedPoints];
    for (let age = 1; age < slots; age += 1) counts.push(readSealed(all.get(newest - age), key));
    return counts;
  }

  function slotAt({ slotMs, newest, slots }: Series): Slot {
    let all = lengths.get(slotMs);
    if (!all) lengths.set(slotMs, (all = new Map()));
    const present = all.get(newest);
    if (present) return present;
    for (const [index, slot] of all) {
      if (index > newest - slots) slot.sealed ??= seal(slot);
      else {
        all.delete(index);
        keys -= slot.keys;
      }
    }
    const counts = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 0, keyPrefix: '' });
    const slot: Slot = { counts, keys: 0, isShared: false };
    all.set(newest, slot);
    return slot;
  }

  function isCrowded(slot: Slot, key: string): boolean {
    return (slot.isShared || keys >= maxKeys) && !isBounded(key);
  }
}

/** The counter of a key in a slot that accepts no new keys. */
async function keyIn(slot: Slot, key: string): Promise<string> {
  if (await slot.counts.get(key)) return key;
  slot.isShared = true;
  return sharedKey(key);
}

const seal = ({ counts }: Slot) => new Map(counts.dump().storage.map(({ key, value }) => [key, value]));

/** Slots come in chronological order, so all but the newest are sealed. */
function readSealed(slot: Slot | undefined, key: string): number {
  if (!slot?.sealed) return 0;
  return slot.sealed.get(key) ?? (slot.isShared ? (slot.sealed.get(sharedKey(key)) ?? 0) : 0);
}

async function reward({ counts, sealed }: Slot, key: string): Promise<void> {
  const known = sealed?.get(key);
  if (known === undefined) await counts.reward(key);
  else sealed!.set(key, known - 1);
}

function sharedKey(key: string): string {
  let hash = 0;
  for (let index = 0; index < key.length; index += 1) hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
  return `#${(hash >>> 0) % sharedKeys}`;
}

export function createMemoryLeases({ now = Date.now }: { now?: () => number } = {}): Leases {
  const byKey = new Map<string, { id: string; endsAtMs: number }>();
  const keys = new Map<string, string>();

  return {
    async take(key, forMs) {
      dropEnded();
      const held = byKey.get(key);
      if (held && held.endsAtMs > now()) return undefined;
      if (held) drop(key, held.id);
      const id = randomUUID();
      byKey.set(key, { id, endsAtMs: now() + forMs });
      keys.set(id, key);
      return id;
    },
    async release(id) {
      const key = keys.get(id);
      if (key === undefined) return false;
      const isHeld = byKey.get(key)!.endsAtMs > now();
      drop(key, id);
      return isHeld;
    },
  };

  /** Entries are ordered by age. */
  function dropEnded() {
    for (const [key, { id, endsAtMs }] of byKey) {
      if (endsAtMs > now()) return;
      drop(key, id);
    }
  }

  function drop(key: string, id: string) {
    byKey.delete(key);
    keys.delete(id);
  }
}
