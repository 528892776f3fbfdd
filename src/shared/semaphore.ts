interface Semaphore {
  /** Calls `start` as soon as there is a place, in order; immediately if there is one. `leave` must follow. */
  enter(start: () => void): void;
  leave(): void;
  /** Runs the work as soon as there is a place. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Lets at most `concurrency` callers in at the same time. Others wait in order, without a timeout. */
export function createSemaphore(concurrency: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = concurrency;
  return { enter, leave, run };

  function enter(start: () => void): void {
    if (free === 0) return void waiting.push(start);
    free -= 1;
    start();
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    await new Promise<void>(enter);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}

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

/**
 * Runs at most `maxConcurrent` operations of a store at the same time. The others wait in order. Without this, a thousand callers would wait
 * for a connection until they time out, and other stores would get none.
 */
export function limitConcurrency<Store extends object>(store: Store, maxConcurrent: number): Store {
  const semaphore = createSemaphore(maxConcurrent);
  return Object.fromEntries(
    Object.entries(store as Record<string, (...args: unknown[]) => Promise<unknown>>).map(([name, operation]) => [
      name,
      (...args: unknown[]) => semaphore.run(() => operation(...args)),
    ]),
  ) as Store;
}
