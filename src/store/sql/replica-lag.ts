/** Marks are kept this long, so a longer lag is unknown. */
const keptMs = 600_000;

/**
 * Measures the lag of a replica: the time since the primary was where the replica is now. It needs no clock of a server, and also grows if the
 * replica has lost the primary. Positions are bytes of the write-ahead log.
 */
export function createLagMeter(now: () => number = () => performance.now()) {
  let marks: { atMs: number; position: bigint }[] = [];
  return {
    /** The primary was there at `atMs`, or later. If it has not moved, the earlier mark is as good as this one. */
    mark(position: bigint, atMs: number) {
      marks = [...marks.filter((mark) => atMs - mark.atMs <= keptMs && mark.position !== position), { atMs, position }];
    },
    /** Undefined until the replica has reached a mark. */
    lagMs(replayed: bigint): number | undefined {
      const reached = marks.findLast(({ position }) => position <= replayed);
      return reached && now() - reached.atMs;
    },
  };
}
