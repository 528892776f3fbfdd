import { maxSortKeyLength } from '../../scim/cursor.ts';
import { isExact } from '../../scim/filter/comparison.ts';
import { stepsOf } from '../../scim/filter/value-finder.ts';
import type { AttributePath, ResourceType, ResourceTypeName } from '../../scim/schema/attribute.ts';
import { resourceTypeOf } from './attribute-source.ts';
import { type Parameters, createParameters, jsonValues } from './parameters.ts';
import { columnOf, relationOf, rowOf, type Compiled, type Rows, type Source } from './attribute-source.ts';
import { attributeOf } from '../../scim/schema/resolve-path.ts';

/**
 * Compiles the sort key of a row of `users u` or `groups g` (RFC 7644, section 3.4.2.3): text in code point order, never null. A page is
 * `order by <key>, u.id` with `(<key>, u.id) > (:key, :id)`, or `desc` twice with `<`. Rows without a value come last, or first in descending
 * order. Of several values the primary one counts, otherwise the first one.
 */
export function compileSort(path: AttributePath, typeName: ResourceTypeName): Compiled {
  const type = resourceTypeOf(typeName);
  const parameters = createParameters('sort');
  const text = compileText(path, type, parameters);
  return { sql: `(coalesce('0' || left(${text}, ${maxSortKeyLength - 1}), '1') collate "C")`, bindings: parameters.bindings };
}

function compileText(path: AttributePath, type: ResourceType, parameters: Parameters): string {
  const attribute = attributeOf(path, { type });
  const value = attribute?.subAttributes?.some(({ name }) => name === 'value') ? { ...path, sub: 'value' } : path;
  const exact = isExact(attributeOf(value, { type }));
  const column = columnOf(value, type);
  if (column) return textOf(column, exact);
  const relation = relationOf(value, type);
  if (!relation) return firstInDocument(value, type, parameters);
  return firstOfRows(relation, { sub: String(value.sub), isCaseExact: exact }, parameters);
}

function firstOfRows(relation: Rows[], { sub, isCaseExact }: { sub: string; isCaseExact: boolean }, parameters: Parameters): string {
  const found = relation.map(({ from, join, columns }) => {
    const alias = parameters.alias();
    const source = columns(alias).get(sub) ?? { kind: 'text', sql: 'null' };
    return `select ${textOf(source, isCaseExact)} as text, ${alias}.position from ${from} ${alias} where ${join(alias)}`;
  });
  return `(select text from (${found.join(' union all ')}) ${parameters.alias()} where text is not null order by position limit 1)`;
}

function textOf({ kind, sql, key, publicId }: Source, isCaseExact: boolean): string {
  if (kind === 'id') return publicId!;
  if (kind === 'instant') return `to_char(${sql} at time zone 'UTC', 'YYYYMMDDHH24MISSMS')`;
  if (kind !== 'text') return `cast(${sql} as text)`;
  return isCaseExact ? sql : (key ?? `lower(${sql})`);
}

function firstInDocument(path: AttributePath, type: ResourceType, parameters: Parameters): string {
  const steps = stepsOf(path, { type });
  const { from, where, value, aliases } = jsonValues(`${rowOf[type.name]}.resource`, steps, parameters);
  const plain = attributeOf(path, { type }) ? value : `coalesce(${value} -> 'value', ${value})`;
  const text = `((${plain}) #>> '{}')`;
  const condition = [...where, `jsonb_typeof(${plain}) in ('string', 'number', 'boolean')`].join(' and ');
  const element = aliases[path.extension === undefined ? 0 : 1];
  const order = element
    ? `(${element}.value -> 'primary' = to_jsonb(true)) is true desc, ${aliases.map((alias) => `${alias}.position`).join(', ')}`
    : '1';
  return `(select ${isExact(attributeOf(path, { type })) ? text : `lower(${text})`} from ${from.join(', ')} where ${condition} order by ${order} limit 1)`;
}
