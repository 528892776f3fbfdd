import { invalidSyntax, invalidValue } from './errors.ts';
import { copyJson, emptyObject, isObject, type JsonObject } from './json.ts';
import type { Attribute } from './schema/attribute.ts';

export const maxTextLength = 262_144;
/** What is looked up by has to fit an index. */
export const maxKeyLength = 500;
const keys = new Set(['userName', 'displayName', 'externalId', 'emails.value']);

/**
 * Reads what a provider sends for an attribute, in the forms that they all send; `undefined` is "not set" (RFC 7643, section 2.5).
 * What no schema knows is kept as it is.
 */
export function readValue(value: unknown, attribute: Attribute | undefined, name: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (!attribute) return checkTexts(copyJson(value), name);
  if (attribute.multiValued) return readValues(value, attribute, name);
  return readSingle(value, attribute, name);
}

/** OneLogin sends one value without its list. */
function readValues(value: unknown, attribute: Attribute, name: string): unknown {
  const elements = (Array.isArray(value) ? value : [value]).flatMap((element) => readElement(element, attribute, name) ?? []);
  return elements.length > 0 ? elements : undefined;
}

/** One value of a list. */
export function readElement(value: unknown, attribute: Attribute | undefined, name: string): unknown {
  return attribute ? readSingle(value, { ...attribute, multiValued: false }, name) : readValue(value, undefined, name);
}

/** Entra sends a single manager, and some send a flag, as a list of one. */
function readSingle(value: unknown, attribute: Attribute, name: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    if (value.length > 1) throw invalidValue(`${name} has one value, not a list.`);
    return readSingle(value[0], attribute, name);
  }
  if (attribute.type === 'complex') return readComplex(value, attribute, name);
  if (attribute.type === 'boolean') return readBoolean(value, name);
  if (typeof value !== 'string') throw invalidValue(`${name} must be a string.`);
  return checkTexts(value, name);
}

/** Entra's older dialect writes True and False as text. */
function readBoolean(value: unknown, name: string): boolean | undefined {
  if (value === '') return undefined;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (text !== true && text !== false && text !== 'true' && text !== 'false') throw invalidValue(`${name} must be true or false.`);
  return text === true || text === 'true';
}

function readComplex(value: unknown, { subAttributes = [] }: Attribute, name: string): JsonObject | undefined {
  const hasValue = subAttributes.some((sub) => sub.name === 'value');
  // A value alone stands for the object that holds it: a manager's id, an address.
  const given = typeof value === 'string' && hasValue ? { value } : value;
  if (!isObject(given)) throw invalidValue(`${name} must be an object, like {"${subAttributes[0]?.name ?? 'value'}": "…"}.`);
  const read = emptyObject();
  for (const [key, inner] of Object.entries(given)) {
    const sub = subAttributes.find((one) => one.name.toLowerCase() === key.toLowerCase());
    const subName = sub?.name ?? key;
    if (subName in read) throw invalidSyntax(`${name}.${subName} is there twice; attribute names know no case.`);
    const content = readValue(inner, sub, `${name}.${subName}`);
    if (content !== undefined) read[subName] = content;
  }
  const names = Object.keys(read);
  // An empty value is what Entra sends to take a manager away.
  return names.length === 0 || (hasValue && read['value'] === '' && names.length === 1) ? undefined : read;
}

function checkTexts<Value>(value: Value, name: string): Value {
  const limit = keys.has(name) ? maxKeyLength : maxTextLength;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'string' && next.length > limit)
      throw invalidValue(`${name} has ${next.length} characters; at most ${limit} are kept.`);
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) rest.push(inner);
  }
  return value;
}
