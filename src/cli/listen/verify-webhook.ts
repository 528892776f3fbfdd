import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createSignatureHeaders } from '../../webhooks/sign.ts';

/** Whether Rollcall signed this webhook within the last five minutes. */
export type Verify = (body: Buffer, headers: IncomingHttpHeaders) => Promise<boolean>;

const maxAgeMs = 5 * 60_000;

export function createVerify(readSecret: () => Promise<string>): Verify {
  let secret: Promise<string> | undefined;
  return async function verify(body, { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures }) {
    if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
    const atMs = Number(timestamp) * 1_000;
    if (!(Math.abs(Date.now() - atMs) <= maxAgeMs)) return false;
    const isSignedWith = (key: string) => {
      const expected = createSignatureHeaders({ id, body, secrets: [key], atMs })['webhook-signature']!;
      return signatures.split(' ').some((signature) => isEqual(signature, expected));
    };
    secret ??= readSecret();
    if (isSignedWith(await secret)) return true;
    secret = readSecret();
    return isSignedWith(await secret);
  };
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
