import type { Counters, Leases, Series } from './ports.ts';
import { randomInt, randomUUID } from 'node:crypto';

interface MemoryCountersOptions {
  /** Maximum number of separate counters. Beyond it, new keys share counters. */
  maxKeys?: number;
  /** Whether the number of such keys is bounded by configuration. They are never shared. */
  isBounded?: (key: string) => boolean;
}

interface Slot {
  /**
   * The count of each key in this slot, followed by a copy of its counts in older slots, so that one look-up finds all. The copy ends with the
   * oldest count above zero. A shared counter has no copy.
   */
  counts: Map<string, number[]>;
  isShared: boolean;
}

const sharedKeys = 4_096;

/**
 * Each time slot has its own counters and is dropped as a whole: a timer per key would cost more than the counts. Under a flood of keys, new
 * keys share counters, so memory is bounded and no key is counted too low. Nothing is awaited: promises would cost more than the counts.
 */
export function createMemoryCounters({ maxKeys = 250_000, isBounded = () => false }: MemoryCountersOptions = {}): Counters {
  const lengths = new Map<number, Map<number, Slot>>();
  let keys = 0;

  return {
    add: (all) => all.map(count),
    takeBack(all) {
      for (const { key, slotMs, newest } of all) {
        const slots = lengths.get(slotMs);
        const counted = slots?.get(newest);
        if (!slots || !counted) continue;
        const known = counted.counts.has(key) ? key : sharedKey(key);
        for (const [index, { counts }] of slots) {
          const copies = index < newest ? undefined : counts.get(known);
          if (copies?.[index - newest]) copies[index - newest]! -= 1;
        }
      }
    },
  };

  function count(series: Series): number[] {
    const { key, newest, slots } = series;
    const all = slotsOf(series);
    const slot = all.get(newest)!;
    const found = slot.counts.get(key);
    if (!found && (slot.isShared || keys >= maxKeys) && !isBounded(key)) {
      slot.isShared = true;
      const shared = slot.counts.get(sharedKey(key)) ?? add(slot, sharedKey(key), [0]);
      shared[0]! += 1;
      return fill([shared[0]!, ...readOlder(all, series, true)], slots);
    }
    const counts = found ?? add(slot, key, [0, ...readOlder(all, series, !isBounded(key))]);
    counts[0]! += 1;
    return fill([...counts], slots);
  }

  function add(slot: Slot, key: string, counts: number[]): number[] {
    slot.counts.set(key, counts);
    keys += 1;
    return counts;
  }

  /** The slots of this length, including the newest. */
  function slotsOf({ slotMs, newest, slots }: Series): Map<number, Slot> {
    let all = lengths.get(slotMs);
    if (!all) lengths.set(slotMs, (all = new Map()));
    if (all.has(newest)) return all;
    for (const [index, slot] of all) {
      if (index > newest - slots) continue;
      all.delete(index);
      keys -= slot.counts.size;
    }
    all.set(newest, { counts: new Map(), isShared: false });
    return all;
  }
}

/** The counts before the newest slot. Slots come in chronological order, so they do not grow any more. */
function readOlder(all: Map<number, Slot>, { key, newest, slots }: Series, mayShare: boolean): number[] {
  const older: number[] = [];
  for (let age = 1; age < slots; age += 1) {
    const slot = all.get(newest - age);
    const own = slot?.counts.get(key);
    if (own) return [...fill(older, age - 1), ...own.slice(0, slots - age)];
    const shared = mayShare && slot?.isShared ? slot.counts.get(sharedKey(key))?.[0] : undefined;
    if (shared) fill(older, age - 1).push(shared);
  }
  return older;
}

function fill(counts: number[], length: number): number[] {
  while (counts.length < length) counts.push(0);
  return counts;
}

/** Nobody outside can choose keys that share a counter. */
const seed = randomInt(2 ** 31);

function sharedKey(key: string): string {
  let hash = seed;
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
