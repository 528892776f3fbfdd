import type { Comparison, Filter } from '../../scim/filter/filter.ts';
import { stepsOf } from '../../scim/filter/value-finder.ts';
import type { Attribute, AttributePath, ResourceTypeName } from '../../scim/schema/attribute.ts';
import { toIndexCondition } from './index-condition.ts';
import { type Parameters, createParameters, jsonValues } from './parameters.ts';
import { type Compiled, type Rows, type Source, columnOf, nameOf, relationOf, resourceTypeOf, rowOf } from './attribute-source.ts';
import { type Place, attributeOf } from '../../scim/schema/resolve-path.ts';
import { isExact } from '../../scim/filter/comparison.ts';
import { toInstant } from '../../scim/filter/instant.ts';
import { toResourceKey } from '../../directory/resources/resource-ids.ts';
import { foldCase } from '../../scim/text.ts';

type Leaf = Filter & { kind: 'present' | 'compare' };
type Condition = (source: Source) => string;

interface Context extends Place {
  parameters: Parameters;
  /** SQL for the document or value in which paths begin. */
  document: string;
  /** The columns of the row, if the values are in a table and not in a document. */
  row?: Map<string, Source>;
}

/**
 * Compiles a filter into an SQL condition on a row of `users u` or `groups g`. Null means false. The condition agrees with `matches`, except for
 * letters beyond ASCII in attributes without a `_key` column: there it uses Postgres' `lower()` without normalization.
 */
export function compileFilter(filter: Filter, type: ResourceTypeName): Compiled {
  const parameters = createParameters('filter');
  const sql = compile(filter, { parameters, type: resourceTypeOf(type), document: `${rowOf[type]}.resource` });
  return { sql: `(${sql})`, bindings: parameters.bindings };
}

function compile(filter: Filter, context: Context): string {
  if (filter.kind === 'not') return negate(compile(filter.term, context));
  if (filter.kind === 'element') return compileElement(filter, context);
  if (filter.kind === 'present' || filter.kind === 'compare') return compileLeaf(filter, context);
  return `(${filter.terms.map((term) => compile(term, context)).join(` ${filter.kind} `)})`;
}

function compileLeaf(leaf: Leaf, context: Context): string {
  const { path } = leaf;
  const { parameters } = context;
  if (leaf.kind === 'present') return existsValue(path, context, (source) => isPresent(source, parameters));
  const { operator, value } = leaf;
  if (value === null) {
    const present = compileLeaf({ kind: 'present', path }, context);
    return operator === 'ne' ? present : negate(present);
  }
  if (operator === 'ne') return negate(compileLeaf({ ...leaf, operator: 'eq' }, context));
  const attribute = attributeOf(path, context);
  const exact = existsValue(path, context, (source) => compareSource(source, { operator, value, attribute }, parameters));
  return withIndexCondition(leaf, context, exact);
}

const negate = (condition: string) => `(${condition}) is not true`;

function withIndexCondition(filter: Filter, { outer, type, parameters }: Context, exact: string): string {
  const found = outer ? undefined : toIndexCondition(filter, type, parameters);
  return found ? `(${found} and ${exact})` : exact;
}

/** SQL that checks whether one of the values at the path fulfils the condition. */
function existsValue(path: AttributePath, context: Context, condition: Condition): string {
  const { outer, type, parameters, document, row } = context;
  if (row) {
    const source = row.get(nameOf(path));
    return source ? condition(source) : 'false';
  }
  const column = outer ? undefined : columnOf(path, type);
  if (column) return condition(column);
  const relation = outer ? undefined : relationOf(path, type);
  if (relation)
    return existsRow(relation, parameters, (columns) => {
      const source = columns.get(path.sub ?? 'value');
      return source ? condition(source) : 'false';
    });
  const { from, where, value } = jsonValues(document, stepsOf(path, context), parameters);
  return `exists (select from ${from.join(', ')} where ${[...where, `(${condition({ kind: 'json', sql: value })})`].join(' and ')})`;
}

function compileElement({ path, filter, kind }: Filter & { kind: 'element' }, context: Context): string {
  const { type, parameters } = context;
  if (context.row) return 'false';
  // `meta` has a single value, whose sub-attributes are columns.
  if (nameOf(path) === 'meta') return compile(within(path, filter), context);
  const relation = context.outer ? undefined : relationOf(path, type);
  if (relation) {
    const exact = existsRow(relation, parameters, (row) => compile(filter, { parameters, type, outer: path, document: '', row }));
    return withIndexCondition({ kind, path, filter }, context, exact);
  }
  const { from, where, value } = jsonValues(context.document, stepsOf(path, context), parameters);
  const inner = compile(filter, { parameters, type, outer: path, document: value });
  const exact = `exists (select from ${from.join(', ')} where ${[...where, `jsonb_typeof(${value}) <> 'null'`, `(${inner})`].join(' and ')})`;
  return withIndexCondition({ kind, path, filter }, context, exact);
}

function existsRow(relation: Rows[], parameters: Parameters, condition: (row: Map<string, Source>) => string): string {
  const found = relation.map(({ from, join, columns }) => {
    const alias = parameters.alias();
    return `exists (select from ${from} ${alias} where ${join(alias)} and (${condition(columns(alias))}))`;
  });
  return `(${found.join(' or ')})`;
}

function within(outer: AttributePath, filter: Filter): Filter {
  if (filter.kind === 'not') return { kind: 'not', term: within(outer, filter.term) };
  if ('terms' in filter) return { kind: filter.kind, terms: filter.terms.map((term) => within(outer, term)) };
  return { ...filter, path: { ...outer, sub: filter.path.attribute! } };
}

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

function isPresent({ kind, sql }: Source, parameters: Parameters): string {
  if (kind === 'text') return `${sql} <> ''`;
  return kind === 'json' ? `jsonb_path_exists(${sql}, ${parameters.bind(anyContent, 'jsonpath')})` : `${sql} is not null`;
}

/** SQL for the comparison with one value. False or null if the types differ. */
function compareSource(source: Source, wanted: Wanted, parameters: Parameters): string {
  const { sql, kind } = source;
  const { operator, value } = wanted;
  if (kind === 'json') return compareJson(sql, wanted, parameters);
  if (kind === 'boolean') return typeof value === 'boolean' && operator === 'eq' ? `${sql} = ${parameters.bind(value, 'boolean')}` : never;
  if (typeof value !== 'string') return never;
  if (kind === 'instant') return compareInstant(sql, { operator, value }, parameters);
  if (kind === 'id' && operator === 'eq') return equalsId(source, value, parameters);
  return compareText(kind === 'id' ? { kind: 'text', sql: source.publicId! } : source, { ...wanted, value }, parameters);
}

/** An index serves the key. The comparison is exact: a UUID in capitals has the same key. */
function equalsId({ sql, publicId }: Source, value: string, parameters: Parameters): string {
  const key = toResourceKey(value);
  const hasKey = `${sql} = ${parameters.bind(key, 'uuid')}`;
  return key === value ? hasKey : `(${hasKey} and ${publicId} = ${parameters.bind(value, 'text')})`;
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
