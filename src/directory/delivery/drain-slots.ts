/** The drains that a process may run at the same time. One that lingers costs little, and gives up its place first. */
export interface DrainSlots {
  /** Counts a drain until the returned function is called. */
  enter(): () => void;
  /** True if so many drains run that a busy one must let others deliver. */
  isScarce(): boolean;
  /** A drain waits for more events. `end` is called if others need its place: the longest wait ends first. Returns how to take this back. */
  linger(end: () => void): () => void;
}

export function createDrainSlots(places: number): DrainSlots {
  /** They are in the order in which they began to wait. */
  const lingering = new Set<() => void>();
  let running = 0;
  const isScarce = () => running > places / 2;

  return {
    isScarce,
    enter() {
      running += 1;
      if (isScarce()) endLongest();
      return () => void (running -= 1);
    },
    linger(end) {
      lingering.add(end);
      if (isScarce()) endLongest();
      return () => void lingering.delete(end);
    },
  };

  function endLongest(): void {
    const [longest] = lingering;
    if (!longest) return;
    lingering.delete(longest);
    longest();
  }
}
