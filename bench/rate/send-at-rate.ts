import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type ScimRequest } from '../support/client.ts';

export interface KindOfRequest {
  kind: string;
  request: ScimRequest;
}

export interface SentRequest {
  kind: string;
  /** Measured from the time at which the request was due, so that a slow response does not hide delays of the next ones. */
  ms: number;
  failure: string | undefined;
}

interface RateOptions {
  baseUrl: string;
  perSecond: number;
  seconds: number;
  signal: AbortSignal;
}

const connections = 64;

/** Sends requests at fixed times, whether earlier ones are finished or not. */
export async function sendAtRate(next: () => KindOfRequest, { baseUrl, perSecond, seconds, signal }: RateOptions): Promise<SentRequest[]> {
  const client = createClient({ baseUrl, connections, signal });
  const startedMs = performance.now();
  const sent: Promise<SentRequest>[] = [];
  for (let number = 0; number < perSecond * seconds; number += 1) {
    const dueMs = startedMs + (number * 1000) / perSecond;
    await sleep(Math.max(0, dueMs - performance.now()), undefined, { signal });
    const { kind, request } = next();
    const sending = client.send(request).catch((error: unknown) => ({ failure: String(error) }));
    sent.push(sending.then(({ failure }) => ({ kind, ms: performance.now() - dueMs, failure })));
  }
  const results = await Promise.all(sent);
  await client.close();
  return results;
}
