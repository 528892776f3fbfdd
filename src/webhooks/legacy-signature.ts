import { createHmac } from 'node:crypto';
import type { Signed } from './sign.ts';

/** The ancestor's, under both its names: milliseconds, hexadecimal, and the newest secret as it is written, whatever its form. */
export function legacySignatureHeaders({ body, secrets, atMs }: Omit<Signed, 'id'>): Record<string, string> {
  const [secret] = secrets;
  if (secret === undefined) return {};
  const digest = createHmac('sha256', secret).update(`${atMs}.`).update(body).digest('hex');
  const signature = `t=${atMs},s=${digest}`;
  return { 'ory-polis-signature': signature, 'boxyhq-signature': signature };
}
