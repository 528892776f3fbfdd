import { randomBytes } from 'node:crypto';

/** A UUID of version 7: ordered by time, so that new rows stand together in an index. */
export function newId(nowMs: number = Date.now()): string {
  const bytes = takeRandom();
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const idsAtOnce = 256;
let random = Buffer.alloc(0);
let taken = 0;

/** Sixteen bytes. Asking the system for each id anew takes most of the time: a change may need 100,000 of them. */
function takeRandom(): Buffer {
  if (taken === random.length) [random, taken] = [randomBytes(16 * idsAtOnce), 0];
  taken += 16;
  return random.subarray(taken - 16, taken);
}

/** When an id of version 7 was made. */
export const madeAtMs = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isId = (value: string) => uuid.test(value);
