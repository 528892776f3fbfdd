import { invalidValue, tooLarge } from '../errors.ts';
import type { JsonObject } from '../json.ts';

/** What is looked up by has to fit an index. */
const maxKeyLength = 500;
const maxTextLength = 262_144;
const maxDepth = 64;
const maxResourceBytes = 1_048_576;

const keys = new Set(['userName', 'externalId', 'displayName', 'emails.value', 'members.value']);

export function checkText(text: string, name: string): void {
  const limit = keys.has(name) ? maxKeyLength : maxTextLength;
  if (text.length > limit) throw invalidValue(`${shorten(name)} may have at most ${limit} characters.`);
}

/** Checks what no schema describes: it is kept as it was sent. */
export function checkUnknown(value: unknown, name: string, depth = 0): void {
  if (typeof value === 'string') return checkText(value, name);
  if (typeof value !== 'object' || value === null) return;
  if (depth === maxDepth) throw invalidValue(`${shorten(name)} may be nested at most ${maxDepth} levels deep.`);
  for (const inner of Object.values(value)) checkUnknown(inner, name, depth + 1);
}

export function checkSize(resource: JsonObject): void {
  if (!isWithin(resource) || Buffer.byteLength(JSON.stringify(resource)) > maxResourceBytes)
    throw tooLarge(`The resource would be too large: as JSON it may have at most ${maxResourceBytes} bytes.`);
}

/** Few operations can make much of little: this counts before JSON is written, and stops in time. */
function isWithin(resource: JsonObject): boolean {
  let left = maxResourceBytes;
  const rest: unknown[] = [resource];
  while (rest.length > 0 && left >= 0) {
    const value = rest.pop();
    left -= typeof value === 'string' ? value.length + 2 : 1;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, inner] of Object.entries(value)) {
      left -= name.length;
      rest.push(inner);
    }
  }
  return left >= 0;
}

/** Names come from outside too. */
export const shorten = (name: string) => (name.length > 100 ? `${name.slice(0, 100).toWellFormed()}…` : name);
