import type { Attribute, AttributeType } from '../schema/attribute.ts';
import { comparisons, type Comparison, type Filter } from './filter.ts';
import { toInstant } from './instant.ts';
import type { Reader, WrittenValue } from './reader.ts';
import type { ResolvedName } from './read-attribute.ts';
import { losesDigits } from '../json.ts';

type Value = string | number | boolean | null;

/** Reads what follows an attribute name: `pr`, or an operator and a value. */
export function readComparison(reader: Reader, subject: ResolvedName): Filter {
  reader.countTerm();
  assertSearchable(reader, subject);
  if (reader.takeWord('pr')) return { kind: 'present', path: subject.path };
  const operator = readOperator(reader, subject.name);
  const written = reader.readValue();
  if (isNull(written)) {
    if (operator !== 'eq' && operator !== 'ne') throw reader.error(`${operator} cannot compare with null.`);
    return { kind: 'compare', path: subject.path, operator, value: null };
  }
  const { path, attribute } = toComparable(reader, subject);
  const value = toValue(reader, written, { operator, attribute, name: subject.name });
  if (!isComparable(operator, value, attribute)) throw reader.error(`${operator} cannot compare ${subject.name} with this value.`);
  return { kind: 'compare', path, operator, value };
}

function readOperator(reader: Reader, name: string): Comparison {
  const operator = comparisons.find((known) => reader.takeWord(known));
  if (!operator) throw reader.error(`expected one of ${comparisons.join(', ')} or pr after ${name}.`);
  return operator;
}

const isNull = ({ text, isQuoted }: WrittenValue) => !isQuoted && text.toLowerCase() === 'null';

/** Hidden attributes must not be guessable by filters. References depend on the request's own address, so they cannot be searched. */
function assertSearchable(reader: Reader, { name, path, outer, attribute }: ResolvedName): void {
  const whole = outer ? `${outer.attribute}.${path.attribute}` : `${path.attribute}.${path.sub}`;
  if (attribute?.returned === 'never' || addresses.has(whole)) throw reader.error(`${name} cannot be used in a filter.`);
}

const addresses = new Set(['members.$ref', 'groups.$ref', 'meta.location']);

/** A complex attribute is compared by its `value`, as in `emails eq "ada@example.com"` (PingFederate). */
function toComparable(reader: Reader, { name, path, attribute }: ResolvedName): Pick<ResolvedName, 'path' | 'attribute'> {
  const value = attribute?.subAttributes?.find((sub) => sub.name === 'value');
  if (path.attribute === undefined || (attribute?.type === 'complex' && !value))
    throw reader.error(`${name} is complex: specify the sub-attribute to compare.`);
  return attribute?.type === 'complex' ? { path: { ...path, sub: 'value' }, attribute: value } : { path, attribute };
}

function toValue(
  reader: Reader,
  { text, isQuoted }: WrittenValue,
  { operator, attribute, name }: { operator: Comparison; attribute: Attribute | undefined; name: string },
): Value {
  const isText = isQuoted || isTextOperator(operator);
  const reading = attribute && readings[attribute.type];
  // Otherwise another number would match, and a PATCH with a filter would change it.
  if ((attribute ? reading === number : !isText) && losesDigits(text))
    throw reader.error(`${name} cannot be compared with an integer beyond 2^53 that would lose digits.`);
  if (!attribute) return isText ? text : (toBoolean(text) ?? toNumber(text) ?? text);
  const value = reading ? reading.read(text) : text;
  if (value === undefined) throw reader.error(`${name} ${reading!.expected}.`);
  return value;
}

const number = { expected: 'must be compared with a number', read: toNumber };
const readings: Partial<Record<AttributeType, { expected: string; read(text: string): Value | undefined }>> = {
  boolean: { expected: 'must be compared with true or false', read: toBoolean },
  integer: number,
  decimal: number,
  dateTime: {
    expected: 'must be compared with a date and time, like "2026-01-31T12:00:00Z"',
    read: (text) => (toInstant(text) === undefined ? undefined : text),
  },
};

function toBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : undefined;
}

function toNumber(text: string): number | undefined {
  const value = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) + 0 : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

const isTextOperator = (operator: Comparison) => operator === 'co' || operator === 'sw' || operator === 'ew';

function isComparable(operator: Comparison, value: Value, attribute: Attribute | undefined): boolean {
  if (operator === 'eq' || operator === 'ne') return true;
  if (attribute?.type === 'binary') return false;
  return isTextOperator(operator) ? typeof value === 'string' && attribute?.type !== 'dateTime' : typeof value !== 'boolean';
}
