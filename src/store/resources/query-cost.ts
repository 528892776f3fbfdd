import type { Page, ResourceQuery } from '../../directory/ports.ts';
import type { ResourceTypeName } from '../../scim/schema/attribute.ts';
import { countComparisons, indexServing } from '../filters/serving-index.ts';
import type { ReadCost } from '../reads.ts';

/** Rows that a page may skip by their index before it counts as a search. */
const maxSkipped = 10_000;
/** A filter of more comparisons may look at each value of a large resource that often. */
const maxComparisonsOfFew = 10;

/** What a page of a list costs by the rows that it skips. */
export const pageCost = ({ offset }: Page): ReadCost => (offset > maxSkipped ? 'search' : 'page');

/** What a list costs: by the filter's index, by the order that no index has, and by the rows that are skipped. */
export function searchCost({ filter, sort, page }: ResourceQuery, type: ResourceTypeName): ReadCost {
  if (!filter) {
    if (page.limit === 0) return 'few';
    if (sort) return 'search';
    return 'offset' in page ? pageCost(page) : 'page';
  }
  const index = indexServing(filter, type);
  if (index === undefined) return 'search';
  return index === 'unique' && countComparisons(filter) <= maxComparisonsOfFew ? 'few' : 'page';
}
