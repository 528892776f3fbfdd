import type { JsonObject } from './json.ts';

/** Names in JSON are data: `__proto__` is one like any other, and only what an object has of its own is read. */
export const getOwn = (object: JsonObject, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

export function setOwn(object: JsonObject, name: string, value: unknown): void {
  // Defining a property takes ten times as long as setting it, and only this name means something else when it is set.
  if (name === '__proto__') Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}

/** A name as the object spells it: names know no case (RFC 7643, section 2.1). Whoever has a list of its names gives it. */
export function findName(object: JsonObject, name: string, names?: string[]): string | undefined {
  if (Object.hasOwn(object, name)) return name;
  const wanted = name.toLowerCase();
  return (names ?? Object.keys(object)).find((key) => key.length === name.length && key.toLowerCase() === wanted);
}

/** Without making a list of the names. */
export function hasNames(object: JsonObject): boolean {
  for (const name in object) return Object.hasOwn(object, name);
  return false;
}

export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (typeof value !== 'object' || value === null) return value;
  const copy = emptyFor(value);
  for (const name of Object.keys(value)) setOwn(copy, name, copyJson((value as JsonObject)[name]));
  return copy;
}

/**
 * An empty object that is to get the names of another one. Names that are array indexes come first, and V8 makes room for every index up to
 * the first one that is set, 11 KB for `{"900": 0}`, unless the object once had a very large index.
 */
export function emptyFor(names: object): JsonObject {
  const empty: JsonObject = {};
  for (const first in names) {
    if (isDigit(first.charCodeAt(0))) {
      empty[largestIndex] = undefined;
      delete empty[largestIndex];
    }
    break;
  }
  return empty;
}

const largestIndex = String(2 ** 32 - 2);
const isDigit = (code: number) => code >= 48 && code <= 57;
