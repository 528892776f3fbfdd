import type { Knex } from 'knex';
import type { ResourcePage, ResourceQuery } from '../../directory/ports.ts';
import { listRows, maxPageWeight, toPageWeight, toPosition, weighPage, type Keyed, type Listing } from './list-rows.ts';
import type { RunRead } from '../sql/run-read.ts';
import type { ResponseMemory } from '../sql/response-memory.ts';
import { queryCost } from './query-cost.ts';

export interface ReadPageDeps {
  runRead: RunRead;
  memory: ResponseMemory;
}

/** Reads a page of a directory's rows within the directory's share of reads and of response memory. */
export function readPage<Row extends Keyed>(
  { runRead, memory }: ReadPageDeps,
  listing: Listing,
  directoryId: string,
  { signal, ...query }: ResourceQuery & { signal?: AbortSignal | undefined },
): Promise<ResourcePage<Row>> {
  const expected = toPageWeight(query.page.limit, maxPageWeight);
  const load = (db: Knex) => listRows<Row>(db, listing, directoryId, query);
  return memory.read(
    directoryId,
    expected,
    () => runRead({ cost: queryCost(query, listing.type), directoryId, signal }, load),
    // Reduces the held memory to the actual size before the store waits for memory for members or groups.
    ({ resources }) => weighPage(resources, expected),
  );
}

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
