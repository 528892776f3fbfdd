import { expect } from '@jest/globals';
import { until } from './until.ts';

/**
 * Expects that each request is rejected which is sent a second or more after this call. The time of sending counts, so that a slow machine does not
 * change the result.
 */
export async function expectRejectedWithinASecond(send: () => Promise<{ status: number }>): Promise<void> {
  const changedAt = performance.now();
  let lastAcceptedMs = 0;
  await until(async () => {
    const sentMs = performance.now() - changedAt;
    if ((await send()).status >= 400) return true;
    lastAcceptedMs = sentMs;
    return false;
  });
  expect(lastAcceptedMs).toBeLessThan(1_000);
}
