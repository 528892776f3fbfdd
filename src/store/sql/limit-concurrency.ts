/**
 * Every operation of a store, no more than so many at once; the others wait in their order. Where a thousand could ask at the same
 * time, waiting for a connection would time out, and take the connections from everybody else.
 */
export function inTurns<Store extends object>(store: Store, atOnce: number): Store {
  const waiting: (() => void)[] = [];
  let running = 0;
  return Object.fromEntries(
    Object.entries(store as Record<string, (...args: unknown[]) => Promise<unknown>>).map(([name, operation]) => [
      name,
      async (...args: unknown[]) => {
        if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
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
