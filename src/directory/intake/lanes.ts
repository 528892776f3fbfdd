/** A large mutation takes long. It has its own lane, so that it does not block small ones of other directories. */
export type LaneKind = 'small' | 'large';

/** Limits how many groups are in flight. A directory is in one group at most, which keeps the order of its changes. */
export function createLanes({ small, holdMs }: { small: number; holdMs: number }) {
  const free: Record<LaneKind, number> = { small, large: 1 };
  /** Number of mutations in flight, by directory. */
  const inFlight = new Map<string, number>();

  return {
    hasFree: (kind: LaneKind) => free[kind] > 0,
    busyDirectories: { has: (directoryId: string) => inFlight.has(directoryId) },

    /** The lane is free after `release`, or after `holdMs`, so that one stuck directory does not block the others. */
    take(kind: LaneKind, group: { mutation: { directoryId: string } }[], onExpired: () => void): { release(): void } {
      free[kind] -= 1;
      for (const { mutation } of group) inFlight.set(mutation.directoryId, (inFlight.get(mutation.directoryId) ?? 0) + 1);
      let isHeld = true;
      const release = () => {
        clearTimeout(timer);
        if (isHeld) free[kind] += 1;
        isHeld = false;
      };
      const timer = setTimeout(() => {
        release();
        onExpired();
      }, holdMs);
      return { release };
    },

    /** One mutation of the directory has an outcome. */
    settle(directoryId: string): void {
      const left = inFlight.get(directoryId)! - 1;
      if (left === 0) inFlight.delete(directoryId);
      else inFlight.set(directoryId, left);
    },
  };
}

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
