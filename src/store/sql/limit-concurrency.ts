/**
 * Runs at most `maxConcurrent` operations of a store at the same time. The others wait in order. Without this, a thousand callers would wait
 * for a connection until they time out, and other stores would get none.
 */
export function limitConcurrency<Store extends object>(store: Store, maxConcurrent: number): Store {
  const waiting: (() => void)[] = [];
  let running = 0;
  return Object.fromEntries(
    Object.entries(store as Record<string, (...args: unknown[]) => Promise<unknown>>).map(([name, operation]) => [
      name,
      async (...args: unknown[]) => {
        if (running >= maxConcurrent) await new Promise<void>((resolve) => waiting.push(resolve));
        else running += 1;
        try {
          return await operation(...args);
        } finally {
          const next = waiting.shift();
          if (next) next();
          else running -= 1;
        }
      },
    ]),
  ) as Store;
}
