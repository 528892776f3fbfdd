import { setMaxListeners } from 'node:events';

/** What a benchmark started, ended in reverse: at its end, at a failure and at Ctrl-C. */
export interface Closing {
  /** Aborted once closing has begun: loops end, nothing more is started. */
  signal: AbortSignal;
  add(stop: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export function createClosing(): Closing {
  const closing = new AbortController();
  // Every request under way listens.
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
