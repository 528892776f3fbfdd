import { type Budget, weighNames } from '../budget.ts';
import { invalidValue, tooLarge } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { ResourceTypeName } from '../schema/attribute.ts';
import { hasLongRunOfMarks, maxMarks } from '../text.ts';

/** Values that are looked up must fit into an index. */
const maxKeyLength = 500;
const maxTextLength = 262_144;
const maxDepth = 64;
/** For a group, without its members: the group is part of the events of all its members. */
const maxResourceBytes: Record<ResourceTypeName, number> = { User: 1_048_576, Group: 262_144 };
/** Many small values take much memory in JavaScript, because each is an object. */
const maxResourceValues = 20_000;

const keys = new Set(['userName', 'externalId', 'displayName', 'emails.value', 'members.value', 'members.display']);

export function checkText(text: string, name: string): void {
  const limit = keys.has(name) ? maxKeyLength : maxTextLength;
  if (text.length > limit) throw invalidValue(`${shorten(name)} must have at most ${limit} characters (fixed limit).`);
  if (hasLongRunOfMarks(text)) throw invalidValue(`${shorten(name)} must have at most ${maxMarks} combining marks in a row (fixed limit).`);
}

/** Checks values that no schema describes, which are stored as sent. */
export function checkUnknown(value: unknown, name: string, depth = 0): void {
  if (typeof value === 'string') return checkText(value, name);
  if (typeof value !== 'object' || value === null) return;
  if (depth === maxDepth) throw invalidValue(`${shorten(name)} must be nested at most ${maxDepth} levels deep (fixed limit).`);
  for (const inner of Object.values(value)) checkUnknown(inner, name, depth + 1);
}

interface CheckSizeOptions {
  /** The stored resource. If it already exceeds a limit, it may keep its size. */
  before?: JsonObject;
  budget?: Budget;
}

export function fitsSize(resource: JsonObject, type: ResourceTypeName, budget?: Budget): boolean {
  const { bytes, values } = sizeOf(resource, budget);
  return bytes <= maxResourceBytes[type] && values <= maxResourceValues;
}

export function checkSize(resource: JsonObject, type: ResourceTypeName = 'User', { before, budget }: CheckSizeOptions = {}): void {
  if (fitsSize(resource, type, budget)) return;
  const { bytes, values } = sizeOf(resource, budget);
  const allowed = before ? sizeOf(before, budget) : { bytes: 0, values: 0 };
  if (bytes > Math.max(maxResourceBytes[type], allowed.bytes))
    throw tooLarge(`The resource would exceed ${maxResourceBytes[type]} bytes as JSON (fixed limit).`);
  if (values > Math.max(maxResourceValues, allowed.values))
    throw tooLarge(`The resource would exceed ${maxResourceValues} JSON values (fixed limit).`);
}

export interface Size {
  /** The size as JSON in UTF-8. */
  bytes: number;
  values: number;
}

/** Resources and their large attributes are measured once: they do not change afterwards. */
export function sizeOf(resource: JsonObject, budget?: Budget): Size {
  const known = sizes.get(resource);
  if (known) return known;
  const names = Object.keys(resource);
  budget?.spend(weighNames(names.length));
  const size = { bytes: Math.max(names.length, 1) + 1, values: 1 };
  for (const name of names) {
    const { bytes, values } = measure(resource[name], budget);
    size.bytes += measureText(name) + 1 + bytes;
    size.values += values;
  }
  sizes.set(resource, size);
  return size;
}
const sizes = new WeakMap<object, Size>();
/** Measuring a small value again is as fast as a lookup. */
const isSmall = ({ values, bytes }: Size) => values <= 8 && bytes <= 512;

/** A few operations can create large values, so this counts instead of writing JSON, and stops early. */
function measure(whole: unknown, budget: Budget | undefined): Size {
  const known = typeof whole === 'object' && whole !== null ? sizes.get(whole) : undefined;
  if (known) return known;
  const size = { bytes: 0, values: 0 };
  const rest = [whole];
  while (rest.length > 0 && size.bytes <= maxResourceBytes.User) {
    const value = rest.pop();
    size.values += 1;
    if (typeof value === 'string') size.bytes += measureText(value);
    else if (typeof value !== 'object' || value === null) size.bytes += String(value).length;
    else if (Array.isArray(value)) {
      for (const inner of value as unknown[]) rest.push(inner);
      size.bytes += Math.max(value.length, 1) + 1;
    } else {
      let names = 0;
      for (const name in value) {
        names += 1;
        size.bytes += measureText(name) + 1;
        rest.push((value as JsonObject)[name]);
      }
      size.bytes += Math.max(names, 1) + 1;
    }
  }
  budget?.spend(2 * size.values + (size.bytes >> 6));
  if (typeof whole === 'object' && whole !== null && !isSmall(size)) sizes.set(whole, size);
  return size;
}

const plainText = /^[ !#-[\]-~]*$/;
const maxPlainLength = 256;

/** Most texts are short and need no escaping, so they are measured without writing JSON. */
const measureText = (text: string): number =>
  text.length <= maxPlainLength && plainText.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));

/** Names come from requests too. */
export const shorten = (name: string) => (name.length > 100 ? `${name.slice(0, 100).toWellFormed()}…` : name);
