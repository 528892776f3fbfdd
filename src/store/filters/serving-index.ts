import type { Filter } from '../../scim/filter/filter.ts';
import type { ResourceTypeName } from '../../scim/schema/attribute.ts';
import { hasLookUp } from './index-condition.ts';
import { resourceTypeOf } from './resource-type-of.ts';
import { indexedColumnOf } from './attribute-source.ts';

/** An index that finds one row for each value, or however many have it. */
type Index = 'unique' | 'many';

/**
 * Which index finds the rows that a filter is then tried on, if one does. Postgres takes an index for one term of an `and`, and for an
 * `or` only if each term is a column's.
 */
export function indexServing(filter: Filter, type: ResourceTypeName): Index | undefined {
  if (filter.kind === 'and') return best(filter.terms.map((term) => indexServing(term, type)));
  if (filter.kind === 'or') return worst(filter.terms.map((term) => columnIndex(term, type)));
  return columnIndex(filter, type) ?? (hasLookUp(filter, resourceTypeOf(type)) ? 'many' : undefined);
}

function columnIndex(filter: Filter, type: ResourceTypeName): Index | undefined {
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return undefined;
  return indexedColumnOf(filter.path, resourceTypeOf(type));
}

const best = (found: (Index | undefined)[]): Index | undefined => (found.includes('unique') ? 'unique' : found.find(Boolean));
const worst = (found: (Index | undefined)[]): Index | undefined =>
  found.includes(undefined) ? undefined : found.includes('many') ? 'many' : 'unique';

export function countComparisons(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.reduce((sum, term) => sum + countComparisons(term), 0);
    case 'not':
      return countComparisons(filter.term);
    case 'element':
      return countComparisons(filter.filter);
    case 'present':
    case 'compare':
      return 1;
  }
}
