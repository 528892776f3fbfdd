import { createSemaphore } from '../../shared/semaphore.ts';

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
