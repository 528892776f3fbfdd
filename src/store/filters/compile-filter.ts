import type { Filter } from '../../scim/filter/filter.ts';
import { stepsOf } from '../../scim/filter/value-finder.ts';
import type { AttributePath, ResourceTypeName } from '../../scim/schema/attribute.ts';
import { compareSource, isPresent } from './compare-source.ts';
import { jsonValues } from './json-values.ts';
import { toIndexCondition } from './index-condition.ts';
import { createParameters, type Parameters } from './parameters.ts';
import { resourceTypeOf } from './attribute-source.ts';
import { columnOf, nameOf, relationOf, rowOf, type Compiled, type Rows, type Source } from './attribute-source.ts';
import { type Place, attributeOf } from '../../scim/schema/resolve-path.ts';

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
