/** What is waited for goes on for others. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const waiting = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { signal: waiting.signal });
  });
  try {
    const first = await Promise.race([promise.then((value) => ({ value })), aborted]);
    if (!first) signal.throwIfAborted();
    return first!.value;
  } finally {
    // With a reason: without one, an error with a stack is made each time.
    waiting.abort('over');
  }
}
