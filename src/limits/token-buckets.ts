interface TokenBucketsOptions {
  perMinute: number;
  /** Maximum number of keys. Beyond it, the least recently used are dropped. */
  maxKeys?: number;
  now?: () => number;
}

const minuteMs = 60_000;

/** Token buckets per key that refill evenly (GCRA: one timestamp per key says when it is full). Memory is bounded, and nothing waits. */
export function createTokenBuckets({ perMinute, maxKeys = 50_000, now = Date.now }: TokenBucketsOptions) {
  const intervalMs = minuteMs / perMinute;
  const toleranceMs = minuteMs - intervalMs;
  const fullAtMs = new Map<string, number>();
  return {
    /** Time until the key has a token; 0 if it has one. */
    waitMs: (key: string): number => Math.max(0, (fullAtMs.get(key) ?? 0) - toleranceMs - now()),

    take(key: string): void {
      const next = Math.max(fullAtMs.get(key) ?? 0, now()) + intervalMs;
      fullAtMs.delete(key);
      if (fullAtMs.size >= maxKeys) dropOldest();
      fullAtMs.set(key, next);
    },
  };

  /** Drops many at a time: V8 skips all deleted keys to find the first one left. */
  function dropOldest() {
    let left = Math.ceil(maxKeys / 8);
    for (const key of fullAtMs.keys()) {
      fullAtMs.delete(key);
      left -= 1;
      if (left === 0) return;
    }
  }
}
