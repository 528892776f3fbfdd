/** Keeps the newest entries: at least half of `maxEntries`, and never more than `maxEntries`. */
interface RecentMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  isEmpty(): boolean;
}

/**
 * Uses two generations: when the young one holds half of the entries, the old one is dropped. Deleting the first key of a large `Map` for
 * each new one would take 30 µs, because V8 skips all keys that were deleted before it.
 */
export function createRecentMap<Value>(maxEntries: number): RecentMap<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  return {
    get: (key) => young.get(key) ?? old.get(key),
    set(key, value) {
      if (young.size >= maxEntries / 2 && !young.has(key)) [old, young] = [young, new Map()];
      young.set(key, value);
    },
    isEmpty: () => young.size + old.size === 0,
  };
}
