interface TokenBucketsOptions {
  perMinute: number;
  /** Keys that are remembered; beyond it those that were used longest ago are forgotten. */
  maxKeys?: number;
  now?: () => number;
}

const minuteMs = 60_000;

/**
 * A number of tokens for each key, which grow back evenly (GCRA: one timestamp for each key says when it is full again). Its memory is
 * bounded, and nothing of it waits.
 */
export function createTokenBuckets({ perMinute, maxKeys = 50_000, now = Date.now }: TokenBucketsOptions) {
  const intervalMs = minuteMs / perMinute;
  const toleranceMs = minuteMs - intervalMs;
  const fullAtMs = new Map<string, number>();
  return {
    /** How long until the key has a token; 0 if it has one. */
    waitMs: (key: string): number => Math.max(0, (fullAtMs.get(key) ?? 0) - toleranceMs - now()),

    take(key: string): void {
      const next = Math.max(fullAtMs.get(key) ?? 0, now()) + intervalMs;
      fullAtMs.delete(key);
      if (fullAtMs.size >= maxKeys) dropOldest();
      fullAtMs.set(key, next);
    },
  };

  /** Many at once: to find the first key of a map whose first keys were deleted takes time in proportion to them. */
  function dropOldest() {
    let left = Math.ceil(maxKeys / 8);
    for (const key of fullAtMs.keys()) {
      fullAtMs.delete(key);
      left -= 1;
      if (left === 0) return;
    }
  }
}
