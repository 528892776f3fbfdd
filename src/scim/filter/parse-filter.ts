import type { Attribute, AttributePath, AttributeType, ResourceType } from '../schema/attribute.ts';
import { type Comparison, type Filter, type Target, comparisons } from './filter.ts';
import { type FilterReader, type WrittenValue, createFilterReader } from './filter-reader.ts';
import { type Place, attributeOf, resolvePath, withoutSub } from '../schema/resolve-path.ts';
import { toInstant } from './instant.ts';
import { losesDigits } from '../json.ts';

/**
 * Parses a filter (RFC 7644, section 3.4.2.2), including common deviations of identity providers: plus signs for spaces, unquoted values,
 * `True`. Throws a ScimError: `invalidFilter`, or `tooMany` if it is too long, too deep or has too many comparisons.
 */
export function parseFilter(text: string, type: ResourceType): Filter {
  const reader = createFilterReader(text, 'filter');
  const filter = readFilter(reader, { type });
  if (!reader.isAtEnd()) throw reader.error('expected "and", "or" or the end.');
  return filter;
}

/**
 * Parses the path of a PATCH operation (RFC 7644, section 3.5.2). Throws a ScimError: `invalidPath`, or inside brackets `invalidFilter` or
 * `tooMany`.
 */
export function parsePath(text: string, type: ResourceType): Target {
  const reader = createFilterReader(text, 'path');
  const subject = readAttribute(reader, { type });
  const { path } = subject;
  reader.skipSpace();
  const filter = reader.take('[') ? readBrackets(reader, { subject, place: { type } }) : undefined;
  const sub = filter && reader.take('.') ? readAttribute(reader, { type, outer: path }).path.attribute! : path.sub;
  if (!reader.isAtEnd()) throw reader.error('expected the end of the path.');
  return { path: { ...path, ...(sub !== undefined && { sub }) }, ...(filter && { filter }) };
}

/** `not` binds strongest, then `and`, then `or`. */
function readFilter(reader: FilterReader, place: Place): Filter {
  const readConjunction = () => readChain(reader, 'and', () => readTerm(reader, place));
  return readChain(reader, 'or', readConjunction);
}

function readChain(reader: FilterReader, kind: 'and' | 'or', readOne: () => Filter): Filter {
  const first = readOne();
  const terms = [first];
  while (reader.takeWord(kind)) terms.push(readOne());
  return terms.length === 1 ? first : { kind, terms };
}

function readTerm(reader: FilterReader, place: Place): Filter {
  reader.skipSpace();
  if (reader.take('(')) return readGroup(reader, place);
  const isNot = reader.takeWord('not');
  if (isNot) {
    reader.skipSpace();
    if (!reader.take('(')) throw reader.error('expected ( after not.');
    return { kind: 'not', term: readGroup(reader, place) };
  }
  const subject = readAttribute(reader, place);
  reader.skipSpace();
  if (!reader.take('[')) return readComparison(reader, subject);
  if (place.outer) throw reader.error('brackets cannot be nested.');
  return readElement(reader, { subject, place });
}

function readGroup(reader: FilterReader, place: Place): Filter {
  reader.enter();
  const filter = readFilter(reader, place);
  reader.leave(')');
  return filter;
}

/** `emails[type eq "work"].value eq "x"` means `emails[type eq "work" and value eq "x"]`. */
function readElement(reader: FilterReader, { subject, place }: { subject: ResolvedName; place: Place }): Filter {
  const { path } = subject;
  const filter = readBrackets(reader, { subject, place });
  if (!reader.take('.')) return { kind: 'element', path, filter };
  const within = { ...place, outer: path };
  const last = readComparison(reader, readAttribute(reader, within));
  return { kind: 'element', path, filter: { kind: 'and', terms: filter.kind === 'and' ? [...filter.terms, last] : [filter, last] } };
}

/** It is called after the opening bracket. */
function readBrackets(reader: FilterReader, { subject, place }: { subject: ResolvedName; place: Place }): Filter {
  assertBracketsAllowed(reader, subject);
  reader.enter();
  const filter = readFilter(reader, { ...place, outer: subject.path });
  reader.leave(']');
  return filter;
}

type Value = string | number | boolean | null;

/** Reads what follows an attribute name: `pr`, or an operator and a value. */
function readComparison(reader: FilterReader, subject: ResolvedName): Filter {
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

function readOperator(reader: FilterReader, name: string): Comparison {
  const operator = comparisons.find((known) => reader.takeWord(known));
  if (!operator) throw reader.error(`expected one of ${comparisons.join(', ')} or pr after ${name}.`);
  return operator;
}

const isNull = ({ text, isQuoted }: WrittenValue) => !isQuoted && text.toLowerCase() === 'null';

/** Hidden attributes must not be guessable by filters. References depend on the request's own address, so they cannot be searched. */
function assertSearchable(reader: FilterReader, { name, path, outer, attribute }: ResolvedName): void {
  const whole = outer ? `${outer.attribute}.${path.attribute}` : `${path.attribute}.${path.sub}`;
  if (attribute?.returned === 'never' || addresses.has(whole)) throw reader.error(`${name} cannot be used in a filter.`);
}

const addresses = new Set(['members.$ref', 'groups.$ref', 'meta.location']);

/** A complex attribute is compared by its `value`, as in `emails eq "ada@example.com"` (PingFederate). */
function toComparable(reader: FilterReader, { name, path, attribute }: ResolvedName): Pick<ResolvedName, 'path' | 'attribute'> {
  const value = attribute?.subAttributes?.find((sub) => sub.name === 'value');
  if (path.attribute === undefined || (attribute?.type === 'complex' && !value))
    throw reader.error(`${name} is complex: specify the sub-attribute to compare.`);
  return attribute?.type === 'complex' ? { path: { ...path, sub: 'value' }, attribute: value } : { path, attribute };
}

function toValue(
  reader: FilterReader,
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

interface ResolvedName {
  /** The name as it is written, shortened for messages. */
  name: string;
  path: AttributePath;
  outer: AttributePath | undefined;
  attribute: Attribute | undefined;
}

function readAttribute(reader: FilterReader, place: Place): ResolvedName {
  const written = reader.readName();
  const name = written.slice(0, 60).toWellFormed();
  const path = written === '' ? undefined : place.outer ? resolveWithin(written, place) : resolvePath(written, place.type);
  if (!path) throw reader.error(place.outer ? 'expected the name of a sub-attribute.' : 'expected the name of an attribute.');
  if (path.sub !== undefined && isPlain(attributeOf(withoutSub(path), place)) && !attributeOf(path, place))
    throw reader.error(`${name} does not exist: the attribute has no sub-attributes.`);
  return { name, path, outer: place.outer, attribute: attributeOf(path, place) };
}

/** Brackets may follow only complex or multi-valued attributes. */
function assertBracketsAllowed(reader: FilterReader, { name, path, attribute }: ResolvedName): void {
  if (path.attribute === undefined || path.sub !== undefined || (isPlain(attribute) && !attribute?.multiValued))
    throw reader.error(`brackets cannot follow ${name}.`);
}

function resolveWithin(name: string, { type, outer }: Place): AttributePath | undefined {
  const whole = resolvePath(`${outer!.extension === undefined ? '' : `${outer!.extension}:`}${outer!.attribute}.${name}`, type);
  const isWithin = whole?.sub !== undefined && whole.extension === outer!.extension && whole.attribute === outer!.attribute;
  return isWithin ? { attribute: whole.sub! } : undefined;
}

const isPlain = (attribute: Attribute | undefined) => attribute !== undefined && attribute.type !== 'complex';
