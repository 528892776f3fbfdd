import { ProviderError, type ProviderPage } from './provider.ts';

/** The token of an earlier page of a list. It travels through workflow history, so it is one token, and not all of them. */
export interface EarlierToken {
  token: string;
  /** Pages of the list until now. */
  pages: number;
}

interface ListedPage<Item> {
  page: ProviderPage<Item>;
  earlier: EarlierToken | undefined;
}

/** For all lists that share the count. Some providers return empty pages when they filter, but never this many. */
const maxEmptyPages = 1_000;

interface Counts {
  restarts?: number | undefined;
  emptyPages?: number | undefined;
}

/**
 * Lists a page. If its token has expired, the list starts over, and what was staged is staged again. A list that never ends fails.
 */
export function createRestartingList({ restarts = 0, emptyPages = 0, atMost }: Counts & { atMost: number }) {
  const counts = { restarts, emptyPages };
  return {
    /** The next step continues with these. */
    counts: () => ({ ...counts }),
    async list<Item>(
      pageToken: string | undefined,
      earlier: EarlierToken | undefined,
      listPage: (pageToken: string | undefined) => Promise<ProviderPage<Item>>,
    ): Promise<ListedPage<Item>> {
      try {
        const page = await listPage(pageToken);
        if (pageToken !== undefined && page.nextPageToken === pageToken)
          throw new ProviderError('invalid_response', 'The provider returned the requested page as the next page.');
        return follow(page, earlier);
      } catch (error) {
        if (pageToken === undefined || !(error instanceof ProviderError) || error.kind !== 'page_expired') throw error;
        counts.restarts += 1;
        if (counts.restarts > atMost) throw new ProviderError('invalid_response', 'The provider repeatedly rejected its own page tokens.');
        return follow(await listPage(undefined), undefined);
      }
    },
  };

  function follow<Item>(page: ProviderPage<Item>, earlier: EarlierToken | undefined): ListedPage<Item> {
    const { nextPageToken, listed } = page;
    if (nextPageToken === undefined) return { page, earlier: undefined };
    if (listed === 0 && !page.removed?.length) counts.emptyPages += 1;
    if (counts.emptyPages > maxEmptyPages)
      throw new ProviderError(
        'invalid_response',
        `The provider returned more than ${maxEmptyPages} empty pages that were not the last one.`,
      );
    return { page, earlier: remember(nextPageToken, earlier) };
  }
}

/** Remembers the 1st, 2nd, 4th, 8th… token. A cycle of tokens meets the remembered one before the number of pages doubles. */
function remember(token: string, earlier: EarlierToken | undefined): EarlierToken {
  if (token === earlier?.token) throw new ProviderError('invalid_response', 'The provider returned the same page token twice.');
  const pages = (earlier?.pages ?? 0) + 1;
  const isPowerOfTwo = Number.isInteger(Math.log2(pages));
  return { token: earlier === undefined || isPowerOfTwo ? token : earlier.token, pages };
}
