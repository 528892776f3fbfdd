/** `AbortSignal.any` may lose an `AbortSignal.timeout` to the garbage collector in Node 20, and then waits for ever. */
export async function withinTime<T>(
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
