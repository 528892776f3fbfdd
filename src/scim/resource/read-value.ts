import { invalidSyntax, invalidValue, type ScimError } from '../errors.ts';
import { toInstant } from '../filter/instant.ts';
import { isObject, isUnset, type JsonObject, copyJson, emptyFor, setOwn } from '../json.ts';
import type { Attribute, AttributeType } from '../schema/attribute.ts';
import { findByName } from '../schema/resolve-path.ts';
import { checkText, checkUnknown, shorten } from './size-limits.ts';

/**
 * Returns the value in the form of its attribute, or undefined for "not set". `name` is for messages. Accepts a single value for a list
 * (OneLogin), text for an object with that `value` (Entra's managers), and text for a boolean.
 */
export function readValue(value: unknown, attribute: Attribute, name: string): unknown {
  if (isUnset(value)) return undefined;
  if (!attribute.multiValued) return readOne(isLoneInList(value, attribute) ? value[0] : value, attribute, name);
  const values = (Array.isArray(value) ? value : [value])
    .map((item) => readOne(item, attribute, name))
    .filter((item) => item !== undefined);
  return values.length > 0 ? values : undefined;
}

/** One of a list's values. */
export function readElement(value: unknown, attribute: Attribute, name: string): unknown {
  return readOne(Array.isArray(value) && value.length === 1 ? value[0] : value, attribute, name);
}

const isLoneInList = (value: unknown, { type }: Attribute): value is [unknown] =>
  Array.isArray(value) && value.length === 1 && (type === 'boolean' || type === 'complex');

function readOne(value: unknown, attribute: Attribute, name: string): unknown {
  if (isUnset(value)) return undefined;
  if (attribute.type === 'complex') return readComplex(value, attribute, name);
  const { is, expected } = kinds[attribute.type];
  const read = attribute.type === 'boolean' ? toBoolean(value) : value;
  if (!is(read)) throw invalidValue(`${name} must be ${expected}.`);
  if (typeof read !== 'string') return read;
  if (name === 'externalId' && read === '') return undefined;
  if (attribute.required && read.trim() === '') throw missingValue(name);
  checkText(read, name);
  return read;
}

export const missingValue = (name: string): ScimError => invalidValue(`${name} is required and must be a non-empty string.`);

function readComplex(value: unknown, attribute: Attribute, name: string): JsonObject | undefined {
  const subs = attribute.subAttributes!;
  const isReferring = findByName(subs, 'value') !== undefined;
  if (isReferring && value === '') return undefined;
  const object = isReferring && typeof value === 'string' ? { value } : value;
  if (!isObject(object)) throw invalidValue(`${name} must be ${describe(attribute)}.`);
  const read = emptyFor(object);
  const seen = new Set<string>();
  for (const [key, inner] of Object.entries(object)) {
    assertNewName(seen, key);
    const sub = findByName(subs, key);
    if (!sub) checkUnknown(inner, `${name}.${key}`);
    const kept = sub ? readValue(inner, sub, `${name}.${sub.name}`) : copyJson(inner);
    if (kept !== undefined) setOwn(read, sub?.name ?? key, kept);
  }
  // `{"value": ""}` means no manager.
  const isEmptyReference = isReferring && !attribute.multiValued && read['value'] === '';
  return isEmptyReference || Object.keys(read).length === 0 ? undefined : read;
}

/** Attribute names are case-insensitive. */
export function assertNewName(seen: Set<string>, name: string): void {
  const key = name.toLowerCase();
  if (seen.has(key)) throw duplicateName(name);
  seen.add(key);
}

export const duplicateName = (name: string): ScimError =>
  invalidSyntax(`${shorten(name)} is a duplicate key; attribute names are case-insensitive.`);

function describe({ subAttributes, multiValued }: Attribute): string {
  const example = `{"${subAttributes![0]!.name}": "…"}`;
  return multiValued ? `an array of objects, like [${example}]` : `an object, like ${example}`;
}

function toBoolean(value: unknown): unknown {
  const text = typeof value === 'string' ? value.toLowerCase() : value;
  return text === 'true' ? true : text === 'false' ? false : value;
}

const isText = (value: unknown) => typeof value === 'string';
const kinds: Record<Exclude<AttributeType, 'complex'>, { expected: string; is(value: unknown): boolean }> = {
  string: { expected: 'a string', is: isText },
  reference: { expected: 'a string with a URI', is: isText },
  boolean: { expected: 'true or false', is: (value) => typeof value === 'boolean' },
  integer: { expected: 'a whole number', is: Number.isSafeInteger },
  decimal: { expected: 'a number', is: Number.isFinite },
  dateTime: {
    expected: 'a date and time, like "2026-01-31T12:00:00Z"',
    is: (value) => typeof value === 'string' && toInstant(value) !== undefined,
  },
  // Also URL-safe base64, with line breaks, or between PEM delimiters.
  binary: { expected: 'a string in base64', is: (value) => typeof value === 'string' && /^[\w+/=\s-]*$/.test(value) },
};
