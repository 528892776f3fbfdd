/** What is waited for goes on for others. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const waiting = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    signal.addEventListener('abort', () => reject(signal.reason), { signal: waiting.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    // With a reason: without one, an error with a stack is made each time.
    waiting.abort('over');
  }
}
