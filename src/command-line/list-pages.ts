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

/** One page, or all of them one after the other. */
export async function listPages<Item>(fetchPage: (page: Page) => Promise<Item[]>, { limit, offset, all }: PageOptions): Promise<Item[]> {
  if (!all) return fetchPage({ pageLimit: limit, pageOffset: offset });
  const found: Item[] = [];
  for (;;) {
    const page = await fetchPage({ pageLimit: wholePage, pageOffset: found.length });
    found.push(...page);
    if (page.length < wholePage) return found;
  }
}

/** Says that there may be more, and that there is nothing. */
export function noteExtent(print: Printer, count: number, what: string, { limit = defaultLimit, offset = 0, all }: PageOptions): void {
  if (count === 0) print.note(offset > 0 ? `There are no more ${what}.` : `There are no ${what}.`);
  else if (!all && count >= limit) print.note(`There may be more ${what}: --offset ${offset + count} goes on, --all shows them all.`);
}
