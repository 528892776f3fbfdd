import type { Filter } from '../../../src/scim/filter/filter.ts';
import type { AttributePath } from '../../../src/scim/schema/attribute.ts';

/** Writes a filter so that parsing it gives the same again. */
export function printFilter(filter: Filter): string {
  if (filter.kind === 'not') return `not (${printFilter(filter.term)})`;
  if (filter.kind === 'present') return `${printPath(filter.path)} pr`;
  if (filter.kind === 'compare') return `${printPath(filter.path)} ${filter.operator} ${JSON.stringify(filter.value)}`;
  if (filter.kind === 'element') return `${printPath(filter.path)}[${printFilter(filter.filter)}]`;
  return filter.terms.map((term) => ('terms' in term ? `(${printFilter(term)})` : printFilter(term))).join(` ${filter.kind} `);
}

const printPath = ({ extension, attribute, sub }: AttributePath) =>
  [extension, attribute === undefined ? undefined : [attribute, sub].filter((name) => name !== undefined).join('.')]
    .filter((part) => part !== undefined)
    .join(':');
