import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `start` with a signal that aborts after `timeoutMs`, or with the caller's signal. In Node 20, `AbortSignal.any` may lose an
 * `AbortSignal.timeout` to the garbage collector, and then never aborts.
 */
export async function withTimeout<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  start: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const abort = () => end.abort();
  const timer = setTimeout(abort, timeoutMs);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  try {
    return await start(end.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Waits for shared work, but not longer than the caller's signal allows. The work itself continues for its other callers. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const waiting = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { signal: waiting.signal });
  });
  try {
    const first = await Promise.race([work.then((value) => ({ value })), aborted]);
    if (!first) signal.throwIfAborted();
    return first!.value;
  } finally {
    // Without a reason, each abort would create an error with a stack trace.
    waiting.abort('done');
  }
}

/** Waits for the work, at most `timeoutMs`. Does not keep the process alive. */
export async function waitAtMost(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, sleep(timeoutMs, undefined, { ref: false })]);
}
