interface LingerOptions {
  /** How long to wait for the next writer. */
  lingerMs: number;
  /** How long to wait for all of them. */
  maxLingerMs: number;
  countWaiting(): number;
  onEnd(): void;
}

/**
 * Delays the next group for writers that just got a response: most send their next change within milliseconds, and one workflow for all of
 * them costs less than two. A lone writer never waits.
 */
export function createLinger({ lingerMs, maxLingerMs, countWaiting, onEnd }: LingerOptions) {
  let current: { expected: number; endsAtMs: number; timer: NodeJS.Timeout } | undefined;

  return {
    /** Waits until as many mutations are queued; calls `onEnd` immediately if there is nothing to wait for. */
    start(expected: number): void {
      stop();
      if (lingerMs > 0 && expected > 1 && countWaiting() < expected) wait(expected, performance.now() + maxLingerMs);
      else onEnd();
    },

    /** Called when a mutation arrives: waits for the next one. False if there is nothing (more) to wait for. */
    extend(): boolean {
      if (current && countWaiting() < current.expected) {
        wait(current.expected, current.endsAtMs);
        return true;
      }
      stop();
      return false;
    },
  };

  function wait(expected: number, endsAtMs: number): void {
    stop();
    const startedMs = performance.now();
    const waitMs = Math.max(0, Math.min(lingerMs, endsAtMs - startedMs));
    const timer = setTimeout(() => {
      // A late timer means that the process was busy, usually with responses, and has not read the requests that arrived meanwhile.
      const isLate = performance.now() - startedMs >= 1.5 * lingerMs;
      if (isLate && performance.now() < endsAtMs) return wait(expected, endsAtMs);
      stop();
      onEnd();
    }, waitMs);
    current = { expected, endsAtMs, timer };
  }

  function stop(): void {
    clearTimeout(current?.timer);
    current = undefined;
  }
}
