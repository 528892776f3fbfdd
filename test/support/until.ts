import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for a condition instead of sleeping, and returns its first truthy result. A condition that throws is not met yet. It is checked every
 * 20 ms at first and less often later, unless `everyMs` is set: a check is often a request, and thousands of them would slow down what the
 * test waits for. The timeout is a guard, not a measure: CI runs three files concurrently on a machine that is ten times slower than a quiet
 * one.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const startedAtMs = Date.now();
  const deadline = startedAtMs + timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      const response = await condition();
      if (response) return response as NonNullable<Exclude<T, false>>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) throw new Error(`Still not so after ${timeoutMs} ms: ${condition.toString()}`, { cause });
    await delay(everyMs ?? Math.min(20 + (Date.now() - startedAtMs) / 10, 250));
  }
}
