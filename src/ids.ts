import { randomBytes } from 'node:crypto';

/** A UUID of version 7: ordered by time, so that new rows are adjacent in an index. */
export function newId(nowMs: number = Date.now()): string {
  if (nowMs !== timeMs) {
    const digits = nowMs.toString(16).padStart(12, '0');
    [timeMs, time] = [nowMs, `${digits.slice(0, 8)}-${digits.slice(8)}`];
  }
  if (taken === endings.length) [endings, taken] = [randomEndings(), 0];
  taken += endingLength;
  return time + endings.slice(taken - endingLength, taken);
}

let timeMs = -1;
let time = '';
const endingLength = '-7xxx-8xxx-xxxxxxxxxxxx'.length;
const idsPerBlock = 256;
/** The random parts of the next IDs. Generated in blocks, because a system call per ID would dominate: one change may need 100,000 IDs. */
let endings = '';
let taken = 0;

function randomEndings(): string {
  const hex = randomBytes(10 * idsPerBlock).toString('hex');
  let all = '';
  for (let at = 0; at < hex.length; at += 20) {
    const variant = '89ab'[Number.parseInt(hex[at + 3]!, 16) & 3];
    all += `-7${hex.slice(at, at + 3)}-${variant}${hex.slice(at + 4, at + 7)}-${hex.slice(at + 7, at + 19)}`;
  }
  return all;
}

/** Every other ID is greater. */
export const lowestId = '00000000-0000-0000-0000-000000000000';

/** The creation time of an ID of version 7. */
export const createdAtMs = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isId = (value: string) => uuid.test(value);
