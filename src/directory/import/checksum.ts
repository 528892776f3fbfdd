import { createHash } from 'node:crypto';

/** Digits of a hash that are added up, so that a sum does not depend on the order of rows. */
export const checksumDigits = 15;
const checksumSeparator = '\u001f';

/** The target computes the same in SQL, from its own columns. */
export function checksumOf(...parts: string[]): bigint {
  const digest = createHash('sha256').update(parts.join(checksumSeparator)).digest('hex');
  return BigInt(`0x${digest.slice(0, checksumDigits)}`);
}
