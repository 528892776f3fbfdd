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

/** Waits for the work, at most `timeoutMs`. Resolves to `late` if the work takes longer; it continues. */
export async function raceTimeout<T, Late>(timeoutMs: number, work: Promise<T>, late: Late): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Late>((resolve) => (timer = setTimeout(resolve, timeoutMs, late)));
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the work, at most `timeoutMs`. Resolves to whether the work ended in time; if it failed, rejects. */
export const waitAtMost = (timeoutMs: number, work: Promise<unknown>): Promise<boolean> =>
  raceTimeout(
    timeoutMs,
    work.then(() => true),
    false,
  );
