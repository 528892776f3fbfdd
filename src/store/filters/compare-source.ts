import { isExact } from '../../scim/filter/compare-stored.ts';
import type { Comparison, Filter } from '../../scim/filter/filter.ts';
import { toInstant } from '../../scim/filter/instant.ts';
import type { Attribute } from '../../scim/schema/attribute.ts';
import { foldCase } from '../../scim/text.ts';
import type { Parameters } from './parameters.ts';
import { canonicalUuid, type Source } from './attribute-source.ts';

interface Wanted {
  operator: Exclude<Comparison, 'ne'>;
  value: NonNullable<(Filter & { kind: 'compare' })['value']>;
  attribute: Attribute | undefined;
}

const never = 'false';
const signs = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=' } as const;
const signOf = (operator: string) => signs[operator as keyof typeof signs] as string | undefined;

/** Matches a number, a boolean or a non-empty text at any depth. */
const anyContent = '$.** ? (@.type() == "number" || @.type() == "boolean" || (@.type() == "string" && @ != ""))';

export function isPresent({ kind, sql }: Source, parameters: Parameters): string {
  if (kind === 'text') return `${sql} <> ''`;
  return kind === 'json' ? `jsonb_path_exists(${sql}, ${parameters.bind(anyContent, 'jsonpath')})` : `${sql} is not null`;
}

/** SQL for the comparison with one value. False or null if the types differ. */
export function compareSource(source: Source, wanted: Wanted, parameters: Parameters): string {
  const { sql, kind } = source;
  const { operator, value } = wanted;
  if (kind === 'json') return compareJson(sql, wanted, parameters);
  if (kind === 'boolean') return typeof value === 'boolean' && operator === 'eq' ? `${sql} = ${parameters.bind(value, 'boolean')}` : never;
  if (typeof value !== 'string') return never;
  if (kind === 'instant') return compareInstant(sql, { operator, value }, parameters);
  if (kind === 'uuid' && operator === 'eq') return equalsUuid(sql, { ...wanted, value }, parameters);
  return compareText(kind === 'uuid' ? { kind: 'text', sql: `cast(${sql} as text)` } : source, { ...wanted, value }, parameters);
}

/** A value that is not a UUID cannot match an id. */
function equalsUuid(sql: string, { value, attribute }: Wanted & { value: string }, parameters: Parameters): string {
  const id = isExact(attribute) ? value : value.toLowerCase();
  return canonicalUuid.test(id) ? `${sql} = ${parameters.bind(id, 'uuid')}` : never;
}

/** Compares milliseconds, the precision that SCIM responses show. */
function compareInstant(sql: string, { operator, value }: { operator: Comparison; value: string }, parameters: Parameters): string {
  const sign = signOf(operator);
  const instant = toInstant(value);
  if (instant === undefined || !sign) return never;
  return `date_trunc('milliseconds', ${sql}) ${sign} ${parameters.bind(new Date(instant).toISOString(), 'timestamptz')}`;
}

function compareJson(stored: string, { operator, value, attribute }: Wanted, parameters: Parameters): string {
  // An attribute that the schema does not define is also compared by its `value`.
  const sql = attribute ? stored : `coalesce(${stored} -> 'value', ${stored})`;
  if (typeof value === 'string') {
    const text = compareText({ kind: 'text', sql: `((${sql}) #>> '{}')` }, { operator, value, attribute }, parameters);
    return `jsonb_typeof(${sql}) = 'string' and ${text}`;
  }
  const sign = signOf(operator);
  const type = typeof value === 'number' ? 'number' : 'boolean';
  if (!sign) return never;
  const bound = parameters.bind(value, typeof value === 'number' ? 'numeric' : 'boolean');
  return `jsonb_typeof(${sql}) = '${type}' and (${sql}) ${sign} to_jsonb(${bound})`;
}

/** Equality uses the default collation, so that an index serves it. Order is by code points. */
function compareText({ sql, key }: Source, { operator, value, attribute }: Wanted & { value: string }, parameters: Parameters): string {
  const wanted = isExact(attribute)
    ? { stored: sql, operand: parameters.bind(value, 'text') }
    : key
      ? { stored: key, operand: parameters.bind(foldCase(value), 'text') }
      : { stored: `lower(${sql})`, operand: `lower(${parameters.bind(value, 'text')})` };
  const { stored, operand } = wanted;
  if (operator === 'eq') return `${stored} = ${operand}`;
  if (operator === 'co') return `position(${operand} in ${stored}) > 0`;
  if (operator === 'sw') return `starts_with(${stored}, ${operand})`;
  if (operator === 'ew') return `right(${stored}, length(${operand})) = ${operand}`;
  return `${stored} collate "C" ${signs[operator]} ${operand}`;
}
