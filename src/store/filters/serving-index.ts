import type { Filter } from '../../scim/filter/filter.ts';
import type { ResourceTypeName } from '../../scim/schema/attribute.ts';
import { hasIndexCondition } from './index-condition.ts';
import { resourceTypeOf } from './attribute-source.ts';
import { indexedColumnOf } from './attribute-source.ts';

/** `unique` finds at most one row for each value, `many` any number. */
type Index = 'unique' | 'many';

/**
 * Returns the kind of index that serves a filter, if there is one. Postgres can use an index for one term of an `and`. For an `or`, each term
 * must be served by a column's index.
 */
export function findServingIndex(filter: Filter, type: ResourceTypeName): Index | undefined {
  if (filter.kind === 'and') return best(filter.terms.map((term) => findServingIndex(term, type)));
  if (filter.kind === 'or') return worst(filter.terms.map((term) => columnIndex(term, type)));
  return columnIndex(filter, type) ?? (hasIndexCondition(filter, resourceTypeOf(type)) ? 'many' : undefined);
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
