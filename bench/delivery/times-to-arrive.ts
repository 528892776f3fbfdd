import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../support/client.ts';
import type { BenchDirectory } from '../support/directories.ts';
import { percentile } from '../support/statistics.ts';
import { createUser, makeUser, nextTag } from '../support/users.ts';

/** Records when each change was acknowledged and when its event arrived. */
export function createTimes() {
  const acknowledged = new Map<string, number>();
  const arrived = new Map<string, number>();
  return {
    arrived: (id: string, atMs: number) => void arrived.set(id, atMs),
    acknowledged: (id: string, atMs: number) => void acknowledged.set(id, atMs),
    missing: () => [...acknowledged.keys()].filter((id) => !arrived.has(id)).length,
    /** Times from the SCIM response to the receipt of the webhook. A webhook may arrive before the response is read. */
    summarise() {
      const times = [...acknowledged].map(([id, atMs]) => Math.max(0, arrived.get(id)! - atMs)).toSorted((a, b) => a - b);
      return { count: times.length, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95), maxMs: times.at(-1)! };
    },
  };
}

export type Times = ReturnType<typeof createTimes>;

export async function pushOne(client: Client, directory: BenchDirectory, times: Times): Promise<void> {
  const { id } = await client.fetch<{ id: string }>(createUser(directory, makeUser(nextTag())));
  times.acknowledged(id, performance.now());
}

export async function untilAllArrived(times: Times, signal: AbortSignal, timeoutMs = 30_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (times.missing() > 0) {
    if (performance.now() > deadline) throw new Error(`${times.missing()} webhooks did not arrive within ${timeoutMs} ms.`);
    await sleep(20, undefined, { signal });
  }
}
