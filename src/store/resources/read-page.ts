import type { Knex } from 'knex';
import type { ResourcePage, ResourceQuery } from '../../directory/ports.ts';
import { listRows, maxPageWeight, toPageWeight, weighPage, type Keyed, type Listing } from './list-rows.ts';
import type { RunRead } from '../reads.ts';
import type { ResponseMemory } from '../response-memory.ts';
import { searchCost } from './query-cost.ts';

export interface ReadPageDeps {
  runRead: RunRead;
  memory: ResponseMemory;
}

/** A page of one directory's rows, within its share of reads and of memory. */
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
    () => runRead({ cost: searchCost(query, listing.type), directoryId, signal }, load),
    // What is held besides, while room for what belongs to the rows is waited for, is no more than must be.
    ({ resources }) => weighPage(resources, expected),
  );
}
