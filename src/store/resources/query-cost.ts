import type { Page, ResourceQuery } from '../../directory/ports.ts';
import type { ResourceTypeName } from '../../scim/schema/attribute.ts';
import type { ReadCost } from '../sql/run-read.ts';
import type { Filter } from '../../scim/filter/filter.ts';
import { hasIndexCondition } from '../filters/index-condition.ts';
import { indexedColumnOf, resourceTypeOf } from '../filters/attribute-source.ts';

/** A page that skips more rows counts as a search. */
const maxSkipped = 10_000;
/** A filter with more comparisons is not cheap: it may check every value of a large resource once per comparison. */
const maxComparisonsOfFew = 10;

/** The cost of a page, by the number of rows that it skips. */
export const pageCost = ({ offset }: Page): ReadCost => (offset > maxSkipped ? 'search' : 'page');

/** The cost of a list, by whether an index serves its filter and order, and by the number of rows that it skips. */
export function queryCost({ filter, sort, page }: ResourceQuery, type: ResourceTypeName): ReadCost {
  if (!filter) {
    if (page.limit === 0) return 'few';
    if (sort) return 'search';
    return 'offset' in page ? pageCost(page) : 'page';
  }
  const index = findServingIndex(filter, type);
  if (index === undefined) return 'search';
  return index === 'unique' && countComparisons(filter) <= maxComparisonsOfFew ? 'few' : 'page';
}

/** `unique` finds at most one row for each value, `many` any number. */
type Index = 'unique' | 'many';

/**
 * Returns the kind of index that serves a filter, if there is one. Postgres can use an index for one term of an `and`. For an `or`, each term
 * must be served by a column's index.
 */
function findServingIndex(filter: Filter, type: ResourceTypeName): Index | undefined {
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

function countComparisons(filter: Filter): number {
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
