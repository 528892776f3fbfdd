import type { Budget } from '../budget.ts';
import { invalidValue, tooLarge } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { ResourceTypeName } from '../schema/attribute.ts';
import { weighNames } from '../weigh.ts';
import { hasLongRunOfMarks, maxMarks } from '../text.ts';

/** What is looked up by has to fit an index. */
const maxKeyLength = 500;
const maxTextLength = 262_144;
const maxDepth = 64;
/** Of a group without its members. A group is in the events of all its members. */
const maxResourceBytes: Record<ResourceTypeName, number> = { User: 1_048_576, Group: 262_144 };
/** Small in bytes, large in memory: each value is an object of its own to JavaScript. */
const maxResourceValues = 20_000;

const keys = new Set(['userName', 'externalId', 'displayName', 'emails.value', 'members.value', 'members.display']);

export function checkText(text: string, name: string): void {
  const limit = keys.has(name) ? maxKeyLength : maxTextLength;
  if (text.length > limit) throw invalidValue(`${shorten(name)} may have at most ${limit} characters.`);
  if (hasLongRunOfMarks(text)) throw invalidValue(`${shorten(name)} may have at most ${maxMarks} combining marks in a row.`);
}

/** Checks what no schema describes: it is kept as it was sent. */
export function checkUnknown(value: unknown, name: string, depth = 0): void {
  if (typeof value === 'string') return checkText(value, name);
  if (typeof value !== 'object' || value === null) return;
  if (depth === maxDepth) throw invalidValue(`${shorten(name)} may be nested at most ${maxDepth} levels deep.`);
  for (const inner of Object.values(value)) checkUnknown(inner, name, depth + 1);
}

export interface CheckSizeOptions {
  /** The resource as it is stored. One that is too large already may stay as large as it is. */
  before?: JsonObject;
  budget?: Budget;
}

export function checkSize(resource: JsonObject, type: ResourceTypeName = 'User', { before, budget }: CheckSizeOptions = {}): void {
  const { bytes, values } = sizeOf(resource, budget);
  if (bytes <= maxResourceBytes[type] && values <= maxResourceValues) return;
  const allowed = before ? sizeOf(before, budget) : { bytes: 0, values: 0 };
  if (bytes > Math.max(maxResourceBytes[type], allowed.bytes))
    throw tooLarge(`The resource would be too large: as JSON it may have at most ${maxResourceBytes[type]} bytes.`);
  if (values > Math.max(maxResourceValues, allowed.values))
    throw tooLarge(`The resource would be too large: it may hold at most ${maxResourceValues} JSON values.`);
}

export interface Size {
  /** As JSON in UTF-8. */
  bytes: number;
  values: number;
}

/** A resource and each of its attributes are measured once: nothing is changed after it was measured. */
export function sizeOf(resource: JsonObject, budget?: Budget): Size {
  const known = sizesOfResources.get(resource);
  if (known) return known;
  const size = { bytes: 1, values: 1 };
  const entries = Object.entries(resource);
  budget?.spend(weighNames(entries.length));
  for (const [name, value] of entries) {
    const { bytes, values } = sizeOfValue(value, budget);
    size.bytes += Buffer.byteLength(name) + 4 + bytes;
    size.values += values;
  }
  sizesOfResources.set(resource, size);
  return size;
}
const sizesOfResources = new WeakMap<JsonObject, Size>();

function sizeOfValue(value: unknown, budget: Budget | undefined): Size {
  if (typeof value !== 'object' || value === null) return measure(value, budget);
  const size = sizes.get(value) ?? measure(value, budget);
  sizes.set(value, size);
  return size;
}
const sizes = new WeakMap<object, Size>();

/** Most texts are short, and the same in JSON: those need not be written to be measured. */
const plainText = /^[ !#-[\]-~]*$/;
const maxPlainLength = 256;

/** Few operations can make much of little: this counts before JSON is written, and stops in time. */
function measure(whole: unknown, budget: Budget | undefined): Size {
  if (typeof whole === 'string' && whole.length <= maxPlainLength && plainText.test(whole)) {
    budget?.spend(2 + ((whole.length + 2) >> 6));
    return { values: 1, bytes: whole.length + 2 };
  }
  let values = 0;
  let bytes = 0;
  const rest = [whole];
  while (rest.length > 0 && bytes <= maxResourceBytes.User) {
    const value = rest.pop();
    values += 1;
    bytes += typeof value === 'string' ? value.length + 2 : 1;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) for (const inner of value as unknown[]) rest.push(inner);
    else
      for (const [name, inner] of Object.entries(value)) {
        bytes += name.length + 3;
        rest.push(inner);
      }
  }
  budget?.spend(2 * values + (bytes >> 6));
  if (bytes > maxResourceBytes.User) return { values, bytes };
  const written = Buffer.byteLength(JSON.stringify(whole) ?? '');
  // Control characters are six times as long in JSON.
  budget?.spend((written - bytes) >> 5);
  return { values, bytes: written };
}

/** Names come from outside too. */
export const shorten = (name: string) => (name.length > 100 ? `${name.slice(0, 100).toWellFormed()}…` : name);
