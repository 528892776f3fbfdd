import type { ResourcePage, ResourceQuery } from '../../directory/ports.ts';
import { toPosition, type Keyed } from './list-rows.ts';

/** Ends a page before its members (or groups) exceed `maxWeight`. They can take far more memory than the rows. Keeps at least one row. */
export function shortenPage<Row extends Keyed>(
  page: ResourcePage<Row>,
  weights: Map<string, number>,
  maxWeight: number,
  sort: ResourceQuery['sort'],
): ResourcePage<Row> {
  let related = 0;
  const tooMany = page.resources.findIndex(({ id }, index) => {
    related += weights.get(id) ?? 0;
    return index > 0 && related > maxWeight;
  });
  if (tooMany === -1) return page;
  const resources = page.resources.slice(0, tooMany);
  return { total: page.total, resources, next: toPosition(resources.at(-1)!, sort) };
}
