import type { Context } from './connection.ts';
import { CommandError } from './errors.ts';
import type { Column } from './output/printer.ts';

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
const maxLimit = 1000;

/** Fetches one page, or all of them. If a page would be too large for the service, smaller ones follow. */
export async function listPages<Item>(fetchPage: (page: Page) => Promise<Item[]>, { limit, offset, all }: PageOptions): Promise<Item[]> {
  if (!all) return fetchPage({ pageLimit: limit, pageOffset: offset });
  const found: Item[] = [];
  let pageLimit = maxLimit;
  for (;;) {
    const page = await fetchPage({ pageLimit, pageOffset: found.length }).catch((error: unknown) => {
      if (!(error instanceof CommandError) || error.field !== 'limit' || pageLimit === 1) throw error;
    });
    if (page === undefined) pageLimit = Math.ceil(pageLimit / 4);
    else {
      found.push(...page);
      if (page.length < pageLimit) return found;
    }
  }
}

interface List<Item> {
  fetchPage: (page: Page) => Promise<Item[]>;
  columns: Column<Item>[];
  /** The noun is in the plural. */
  noun: string;
}

/** The action of a list command: JSON or a table, and a note if there are more pages. */
export async function printList<Item>(
  { options, print }: Pick<Context<PageOptions>, 'options' | 'print'>,
  { fetchPage, columns, noun }: List<Item>,
): Promise<void> {
  const items = await listPages(fetchPage, options);
  if (options.json) return print.json(items);
  if (items.length > 0) print.table(columns, items, { wide: options.wide });
  const { limit = defaultLimit, offset = 0, all } = options;
  if (items.length === 0) return print.note(offset > 0 ? `No more ${noun}.` : `No ${noun} found.`);
  if (all || items.length < limit) return undefined;
  return print.note(`There may be more ${noun}. Use --offset ${offset + items.length} for the next page, or --all.`);
}
