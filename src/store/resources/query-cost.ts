import type { Page, ResourceQuery } from '../../directory/ports.ts';
import type { ResourceTypeName } from '../../scim/schema/attribute.ts';
import { countComparisons, findServingIndex } from '../filters/serving-index.ts';
import type { ReadCost } from '../sql/run-read.ts';

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
