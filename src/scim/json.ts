export type JsonObject = { [name: string]: unknown };

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a JSON text; undefined if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Parses JSON. Numbers that JavaScript would round, or that are too large to store, become strings of their digits. */
export function parseJsonKeepingDigits(text: string): unknown {
  let isInString = false;
  const kept = text.replaceAll(quoteOrLongNumber, (token) => {
    if (token === '"') isInString = !isInString;
    if (isInString || token === '"' || token.startsWith('\\')) return token;
    return Math.abs(Number(token)) >= maxNumber || losesDigits(token) ? `"${token}"` : token;
  });
  return JSON.parse(kept) as unknown;
}
/** Numbers of up to 15 digits without an exponent are exact. Matching a whole string would overflow the stack if it has many escapes. */
const quoteOrLongNumber = /\\[^]|"|-?\d[\d.]{15,}(?:[eE][+-]?\d+)?|-?\d[\d.]*[eE][+-]?\d+/g;
const maxNumber = 1e21;

/** Null and an empty list both mean "not set" (RFC 7643, section 2.5). */
export const isUnset = (value: unknown): boolean => value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** Compares JSON values. The order of names does not matter. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other) || (one === 0 && other === 0)) return true;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => isSameJson(item, other[index]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  );
}

/** Names in JSON are data: `__proto__` is a name like any other, and only own properties are read. */
export const getOwn = (object: JsonObject, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

export function setOwn(object: JsonObject, name: string, value: unknown): void {
  // Defining a property takes ten times as long as setting it, and only this name requires it.
  if (name === '__proto__') Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}

/**
 * Finds a name without regard to case (RFC 7643, section 2.1), and returns it as the object spells it. Callers that have a list of the
 * names pass it.
 */
export function findName(object: JsonObject, name: string, names?: string[]): string | undefined {
  if (Object.hasOwn(object, name)) return name;
  const wanted = name.toLowerCase();
  return (names ?? Object.keys(object)).find((key) => key.length === name.length && key.toLowerCase() === wanted);
}

/** Does not create a list of names. */
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
 * Creates an empty object for the names of another one. If the names start with an array index, V8 allocates space for every index up to
 * it, for example 11 KB for `{"900": 0}`, unless the object has once had a very large index.
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

/**
 * Whether JavaScript reads the number as a different one: beyond 2^53, or too small to differ from 0. Smaller numbers may lose decimal
 * places, as always in JSON.
 */
export function losesDigits(text: string): boolean {
  const value = Number(text);
  if (value === 0) return /^-?[0.]*[1-9]/.test(text);
  if (!Number.isFinite(value) || Math.abs(value) < 2 ** 53 || Math.abs(value) >= 1e21) return false;
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return false;
  const digits = `${whole}${fraction}`;
  const length = whole.length + Number(exponent);
  const written = digits.padEnd(length, '0');
  return /[1-9]/.test(written.slice(length)) || BigInt(`${sign}${written.slice(0, length)}`) !== BigInt(value);
}
