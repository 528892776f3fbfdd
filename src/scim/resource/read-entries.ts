import type { Budget } from '../budget.ts';
import { invalidValue, tooLarge } from '../errors.ts';
import { parsePath } from '../filter/parse-filter.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Target } from '../patch/operation.ts';
import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { findAttribute, findExtension, isSameUrn, resolvePath } from '../schema/resolve-path.ts';
import { shorten } from './limits.ts';
import { assertNewName } from './read-value.ts';

/** What an object says of an attribute. The value is as it was sent. */
export interface Entry {
  target: Target;
  value: unknown;
}

export interface ReadEntriesOptions {
  type: ResourceType;
  budget?: Budget | undefined;
  /** What a name costs that is no path: little in a resource, but an operation of a PATCH is made of each. */
  stepsPerName?: number;
}

/**
 * Takes a resource, or a part of one, apart. Entra writes `name.givenName`, `urn:…:User:department` and
 * `emails[type eq "work"].value` as names.
 */
export function readEntries(object: JsonObject, reading: ReadEntriesOptions): Entry[] {
  const { id } = reading.type.schema;
  return uniqueEntries(object, reading).flatMap(([key, value]) => {
    if (!isSameUrn(key, id)) return readEntry(key, value, reading);
    const inner = isObject(value) ? uniqueEntries(value, reading) : [];
    return inner.flatMap(([name, part]) => (isSameUrn(name, id) ? [] : readEntry(name, part, reading)));
  });
}

/** What reading a path, or a name that may be one, costs. A filter in it is taken apart. */
export const weighPath = (path: string) => (path.includes('[') ? 4 * path.length : path.length >> 4);

/** Each is resolved against the schemas: a body of nothing but names would keep everybody else waiting. */
const maxNames = 1_000;

function uniqueEntries(object: JsonObject, { budget, stepsPerName = 0 }: ReadEntriesOptions): [string, unknown][] {
  const seen = new Set<string>();
  const entries = Object.entries(object);
  if (entries.length > maxNames) throw tooLarge(`There are ${entries.length} attributes; at most ${maxNames} are taken.`);
  for (const [key] of entries) {
    budget?.spend(stepsPerName + weighPath(key));
    assertNewName(seen, key);
  }
  return entries;
}

function readEntry(key: string, value: unknown, reading: ReadEntriesOptions): Entry[] {
  const target = toTarget(key, { value, type: reading.type });
  const { extension, attribute } = target.path;
  if (extension === undefined || attribute !== undefined) return [{ target, value }];
  if (value === null || value === undefined) return [{ target, value: null }];
  if (!isObject(value)) throw invalidValue(`${shorten(extension)} must be an object: what this extension says of the resource.`);
  return readEntriesOf(extension, value, reading);
}

/** The attributes of a registered extension. */
function readEntriesOf(extension: string, object: JsonObject, reading: ReadEntriesOptions): Entry[] {
  const { type } = reading;
  return uniqueEntries(object, reading).map(([key, value]) => {
    const path = resolvePath(`${extension}:${key}`, type);
    return { target: { path: path && isPossible(path, type) ? path : { extension, attribute: key } }, value };
  });
}

/** Reading a path takes a hundred times as long as reading a name, and there may be a thousand. */
const maxPathLength = 500;

/** A name that cannot be resolved is one that no schema knows: it stands for itself. */
function toTarget(key: string, { value, type }: { value: unknown; type: ResourceType }): Target {
  const bracket = key.indexOf('[');
  const path = resolvePath(bracket < 0 ? key : key.slice(0, bracket), type);
  if (!path) return { path: { attribute: key } };
  if (bracket >= 0) {
    if (!findAttribute(path, type)) return { path: { attribute: key } };
    if (key.length > maxPathLength)
      throw invalidValue(`${shorten(key)}: a path as the name of an attribute may have at most ${maxPathLength} characters.`);
    return parsePath(key, type);
  }
  const isForeign = path.extension !== undefined && !findExtension(path.extension, type);
  // An extension that nobody described: a whole one, unless it is one of its values.
  if (isForeign) return { path: isObject(value) ? { attribute: key } : path };
  return isPossible(path, type) ? { path } : { path: { attribute: key } };
}

/** Whether the path is one attribute, or the known attribute that it looks into has parts. */
function isPossible({ sub, ...whole }: AttributePath, type: ResourceType): boolean {
  return sub === undefined || findAttribute(whole, type)?.type === 'complex';
}

/** What this service assigns or never keeps. Providers send it all the same, and it is left alone. */
export function isIgnoredAttribute({ extension, attribute, sub }: AttributePath, type: ResourceType): boolean {
  if ([attribute, sub].some((name) => name !== undefined && isPassword(name))) return true;
  if (extension !== undefined || attribute === undefined) return false;
  const mutability = findAttribute({ attribute }, type)?.mutability;
  return mutability === 'readOnly' || attribute.toLowerCase() === 'schemas';
}

/** Wherever it stands, in an extension too. */
const isPassword = (name: string) => /(?:^|[:.])\s*password\s*(?:$|[.[])/i.test(name);
