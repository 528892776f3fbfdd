import type { Context } from './connection.ts';
import type { Result } from '../client/result.ts';
import type { Unwrap } from './errors.ts';
import type { Column } from './output/printer.ts';

interface Page {
  limit?: number | undefined;
  offset?: number | undefined;
  cursor?: string | undefined;
}

type FetchPage<Item> = (page: Page) => Promise<Result<Item[], { next_cursor: string | null }>>;

export interface PageOptions {
  limit?: number;
  offset?: number;
  all?: boolean;
}

const defaultLimit = 50;
const maxLimit = 1000;

/**
 * Fetches one page, or all of them: nobody is missed or listed twice because others come or go meanwhile.
 * If a page would be too large for the service, smaller ones follow.
 */
export async function listPages<Item>(unwrap: Unwrap, fetchPage: FetchPage<Item>, { limit, offset, all }: PageOptions): Promise<Item[]> {
  if (!all) return unwrap(fetchPage({ limit, offset }));
  const found: Item[] = [];
  let pageLimit = maxLimit;
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await fetchPage({ limit: pageLimit, cursor });
    if (page.error?.field === 'limit' && pageLimit > 1) pageLimit = Math.ceil(pageLimit / 4);
    else found.push(...(await unwrap(Promise.resolve(page))));
    if (!page.error) cursor = page.next_cursor;
  }
  return found;
}

interface List<Item> {
  fetchPage: FetchPage<Item>;
  /** What to show of an item. */
  show?: (item: Item) => Item;
  columns: Column<Item>[];
  /** The noun is in the plural. */
  noun: string;
}

/** The action of a list command: JSON or a table, and a note if there are more pages. */
export async function printList<Item>(
  { options, print, unwrap }: Pick<Context<PageOptions>, 'options' | 'print' | 'unwrap'>,
  { fetchPage, show = (item) => item, columns, noun }: List<Item>,
): Promise<void> {
  const items = (await listPages(unwrap, fetchPage, options)).map(show);
  if (options.json) return print.json(items);
  if (items.length > 0) print.table(columns, items, { wide: options.wide });
  const { limit = defaultLimit, offset = 0, all } = options;
  if (items.length === 0) return print.note(offset > 0 ? `No more ${noun}.` : `No ${noun} found.`);
  if (all || items.length < limit) return undefined;
  return print.note(`There may be more ${noun}. Use --offset ${offset + items.length} for the next page, or --all.`);
}
