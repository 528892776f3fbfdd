import { setMaxListeners } from 'node:events';

/** Stops what a benchmark started, in reverse order: at its end, after a failure and on Ctrl-C. */
export interface Cleanup {
  /** Aborts when the cleanup starts, so that loops end and nothing more is started. */
  signal: AbortSignal;
  add(stop: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export function createCleanup(): Cleanup {
  const controller = new AbortController();
  // Every request in flight adds a listener.
  setMaxListeners(0, controller.signal);
  const stops: (() => Promise<unknown>)[] = [];
  let closed: Promise<void> | undefined;
  return {
    signal: controller.signal,
    add: (stop) => void stops.push(stop),
    close: () => (closed ??= closeAll()),
  };

  async function closeAll() {
    controller.abort();
    for (let stop = stops.pop(); stop; stop = stops.pop()) {
      await stop().catch((error: unknown) => console.error(error));
    }
  }
}
