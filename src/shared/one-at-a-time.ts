/** Runs one task at a time, in order. A task that takes longer than `holdMs` does not block the next one. */
export function createOneAtATime(holdMs: number): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const before = last;
    let release!: () => void;
    last = new Promise<void>((resolve) => (release = resolve));
    await before;
    const hold = setTimeout(release, holdMs);
    try {
      return await work();
    } finally {
      clearTimeout(hold);
      release();
    }
  };
}
