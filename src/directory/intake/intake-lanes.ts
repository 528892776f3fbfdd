/** A large mutation takes long. It has its own lane, so that it does not block small ones of other directories. */
export type IntakeLaneKind = 'small' | 'large';

/** Limits how many groups are in flight. A directory is in one group at most, which keeps the order of its changes. */
export function createIntakeLanes({ small, holdMs }: { small: number; holdMs: number }) {
  const free: Record<IntakeLaneKind, number> = { small, large: 1 };
  /** Number of mutations in flight, by directory. */
  const inFlight = new Map<string, number>();

  return {
    hasFree: (kind: IntakeLaneKind) => free[kind] > 0,
    busyDirectories: { has: (directoryId: string) => inFlight.has(directoryId) },

    /** The lane is free after `release`, or after `holdMs`, so that one stuck directory does not block the others. */
    take(kind: IntakeLaneKind, group: { mutation: { directoryId: string } }[], onExpired: () => void): { release(): void } {
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
