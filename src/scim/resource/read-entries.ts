import type { Budget } from '../budget.ts';
import { invalidValue, tooLarge } from '../errors.ts';
import { parsePath } from '../filter/parse-filter.ts';
import { isObject, isSameJson, type JsonObject } from '../json.ts';
import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { findAttribute, findExtension, isSameUrn, printPath, resolvePath } from '../schema/resolve-path.ts';
import { shorten } from './size-limits.ts';
import { assertNewName, duplicateName } from './read-value.ts';
import type { Target } from '../filter/filter.ts';

/** An attribute and its value as sent. */
export interface Entry {
  target: Target;
  value: unknown;
}

export interface ReadEntriesOptions {
  type: ResourceType;
  budget?: Budget | undefined;
  /** The cost of a plain name: low in a resource, but in a PATCH each name becomes an operation. */
  stepsPerName?: number;
}

/**
 * Splits a resource, or a part of one, into its attributes. Entra uses `name.givenName`, `urn:…:User:department` and `emails[type eq
 * "work"].value` as names.
 */
export function readEntries(object: JsonObject, reading: ReadEntriesOptions): Entry[] {
  const { id } = reading.type.schema;
  let hasCore = false;
  const entries = uniqueEntries(object, reading).flatMap(([key, value]) => {
    if (!isSameUrn(key, id)) return readEntry(key, value, reading);
    hasCore = true;
    const inner = isObject(value) ? uniqueEntries(value, reading) : [];
    return inner.flatMap(([name, part]) => (isSameUrn(name, id) ? [] : readEntry(name, part, reading)));
  });
  if (hasCore) assertOneMeaning(entries, reading.type);
  return entries;
}

/**
 * A name with an unknown URN may be an extension or an attribute of one, depending on its value. Given in the resource and again below the
 * core URN, with another value, it would be both.
 */
function assertOneMeaning(entries: Entry[], type: ResourceType): void {
  const values = new Map<string, unknown>();
  for (const { target, value } of entries) {
    const name = printPath(target.path);
    const { extension } = target.path;
    if (!/^urn:/i.test(name) || (extension !== undefined && findExtension(extension, type))) continue;
    const key = name.toLowerCase();
    if (values.has(key) && !isSameJson(values.get(key), value)) throw duplicateName(name);
    values.set(key, value);
  }
}

/** The cost of reading a path, or a name that may be one. Filters in it are parsed. */
export const weighPath = (path: string) => (path.includes('[') ? 4 * path.length : path.length >> 4);

/** Each name is resolved against the schemas, so a body with many names would delay other requests. */
const maxNames = 1_000;

function uniqueEntries(object: JsonObject, { budget, stepsPerName = 0 }: ReadEntriesOptions): [string, unknown][] {
  const seen = new Set<string>();
  const entries = Object.entries(object);
  if (entries.length > maxNames)
    throw tooLarge(`The object has ${entries.length} attributes; at most ${maxNames} are allowed (fixed limit).`);
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
  if (!isObject(value)) throw invalidValue(`${shorten(extension)} must be an object with the attributes of the extension.`);
  return readEntriesOf(extension, value, reading);
}

/** Reads the attributes of a known extension. */
function readEntriesOf(extension: string, object: JsonObject, reading: ReadEntriesOptions): Entry[] {
  const { type } = reading;
  return uniqueEntries(object, reading).map(([key, value]) => {
    const path = resolvePath(`${extension}:${key}`, type);
    return { target: { path: path && isPossible(path, type) ? path : { extension, attribute: key } }, value };
  });
}

/** Parsing a path takes a hundred times as long as reading a name, and there may be a thousand. */
const maxPathLength = 500;

/** A name that cannot be resolved is an unknown attribute with that name. */
function toTarget(key: string, { value, type }: { value: unknown; type: ResourceType }): Target {
  const bracket = key.indexOf('[');
  const path = resolvePath(bracket < 0 ? key : key.slice(0, bracket), type);
  if (!path) return { path: { attribute: key } };
  if (bracket >= 0) {
    if (!findAttribute(path, type)) return { path: { attribute: key } };
    if (key.length > maxPathLength)
      throw invalidValue(
        `${shorten(key)}: a path as the name of an attribute must have at most ${maxPathLength} characters (fixed limit).`,
      );
    return parsePath(key, type);
  }
  const isForeign = path.extension !== undefined && !findExtension(path.extension, type);
  // An unknown extension: the whole extension if the value is an object, otherwise one of its attributes.
  if (isForeign) return { path: isObject(value) ? { attribute: key } : path };
  return isPossible(path, type) ? { path } : { path: { attribute: key } };
}

/** Whether the path is one attribute, or a sub-attribute of a known complex one. */
function isPossible({ sub, ...whole }: AttributePath, type: ResourceType): boolean {
  return sub === undefined || findAttribute(whole, type)?.type === 'complex';
}

/** Attributes that the service assigns or never stores. Identity providers send them anyway, and they are ignored. */
export function isIgnoredAttribute({ extension, attribute, sub }: AttributePath, type: ResourceType): boolean {
  if ([attribute, sub].some((name) => name !== undefined && isPasswordName(name))) return true;
  if (extension !== undefined || attribute === undefined) return false;
  const mutability = findAttribute({ attribute }, type)?.mutability;
  return mutability === 'readOnly' || attribute.toLowerCase() === 'schemas';
}

/** A password may be at any level, also in an extension. */
export const isPasswordName = (name: string): boolean => /(?:^|[:.])\s*password\s*(?:$|[.[])/i.test(name);
