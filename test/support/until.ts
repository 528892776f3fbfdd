import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for a condition instead of sleeping, and returns its first truthy result. A condition that throws is not met yet. The timeout is a
 * guard, not a measure: CI runs three files concurrently on a machine that is ten times slower than a quiet one.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs = 20 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = Date.now() + timeoutMs;
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
    await delay(everyMs);
  }
}
