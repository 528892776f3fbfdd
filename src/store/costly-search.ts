import type { Knex } from 'knex';
import { tooMany } from '../scim/errors.ts';
import type { Filter } from '../scim/filter/filter.ts';

/** Filters of more comparisons than any provider makes may look at each value of each resource that often. */
const costlyFrom = 10;
const atOnce = 2;
const timeoutMs = 5_000;
const queryCanceled = '57014';

export const isCostly = (filter: Filter | undefined): boolean => filter !== undefined && countComparisons(filter) >= costlyFrom;

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

let running = 0;
const waiting: (() => void)[] = [];

/** Few at once, and not for long: the connections are everybody's. */
export async function searchWithinLimits<Found>(db: Knex, search: (trx: Knex.Transaction) => Promise<Found>): Promise<Found> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await db.transaction(async (trx) => {
      await trx.raw(`set local statement_timeout = ${timeoutMs}`);
      return search(trx);
    });
  } catch (error) {
    if ((error as { code?: string }).code === queryCanceled)
      throw tooMany(
        `The filter takes longer than ${timeoutMs / 1000} seconds in this directory: use fewer comparisons, or attributes with an index.`,
      );
    throw error;
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}
