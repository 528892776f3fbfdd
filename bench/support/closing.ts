import { setMaxListeners } from 'node:events';

/** Stops what a benchmark started, in reverse order: at its end, after a failure and on Ctrl-C. */
export interface Closing {
  /** Aborts when closing starts, so that loops end and nothing more is started. */
  signal: AbortSignal;
  add(stop: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export function createClosing(): Closing {
  const closing = new AbortController();
  // Every request in flight adds a listener.
  setMaxListeners(0, closing.signal);
  const stops: (() => Promise<unknown>)[] = [];
  let closed: Promise<void> | undefined;
  return {
    signal: closing.signal,
    add: (stop) => void stops.push(stop),
    close: () => (closed ??= closeAll()),
  };

  async function closeAll() {
    closing.abort();
    for (let stop = stops.pop(); stop; stop = stops.pop()) {
      await stop().catch((error: unknown) => console.error(error));
    }
  }
}
