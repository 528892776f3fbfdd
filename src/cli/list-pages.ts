import { CommandError } from './failures.ts';
import type { Printer } from './print.ts';

interface Page {
  pageLimit?: number | undefined;
  pageOffset?: number | undefined;
}

export interface PageOptions {
  limit?: number;
  offset?: number;
  all?: boolean;
}

const defaultLimit = 50;
const wholePage = 1000;

/** One page, or all of them one after the other: smaller ones where what is on one would be too large. */
export async function listPages<Item>(fetchPage: (page: Page) => Promise<Item[]>, { limit, offset, all }: PageOptions): Promise<Item[]> {
  if (!all) return fetchPage({ pageLimit: limit, pageOffset: offset });
  const found: Item[] = [];
  let pageLimit = wholePage;
  for (;;) {
    const page = await fetchPage({ pageLimit, pageOffset: found.length }).catch((error: unknown) => {
      if (!(error instanceof CommandError) || error.field !== 'pageLimit' || pageLimit === 1) throw error;
    });
    if (page === undefined) pageLimit = Math.ceil(pageLimit / 4);
    else {
      found.push(...page);
      if (page.length < pageLimit) return found;
    }
  }
}

/** Says that there may be more, and that there is nothing. */
export function noteExtent(print: Printer, count: number, what: string, { limit = defaultLimit, offset = 0, all }: PageOptions): void {
  if (count === 0) print.note(offset > 0 ? `There are no more ${what}.` : `There are no ${what}.`);
  else if (!all && count >= limit) print.note(`There may be more ${what}: --offset ${offset + count} goes on, --all shows them all.`);
}
