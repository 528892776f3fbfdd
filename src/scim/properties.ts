import type { JsonObject } from './json.ts';

/** Names in JSON are data: `__proto__` is one like any other, and only what an object has of its own is read. */
export const getOwn = (object: JsonObject, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

export function setOwn(object: JsonObject, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** A name as the object spells it: names know no case (RFC 7643, section 2.1). */
export function findName(object: JsonObject, name: string): string | undefined {
  if (Object.hasOwn(object, name)) return name;
  const wanted = name.toLowerCase();
  return Object.keys(object).find((key) => key.length === name.length && key.toLowerCase() === wanted);
}

export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copyJson(inner)]));
}
