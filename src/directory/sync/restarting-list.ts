import { ProviderError, type ProviderPage } from './provider.ts';

/**
 * Lists a page. If its token has expired, the list starts over, and what was staged is staged again. A provider that never gets to an end
 * is given up.
 */
export function createRestartingList({ restarts = 0, atMost }: { restarts?: number | undefined; atMost: number }) {
  let count = restarts;
  return {
    /** Passed on to the next step. */
    restarts: () => count,
    async list<Item>(
      pageToken: string | undefined,
      listPage: (pageToken: string | undefined) => Promise<ProviderPage<Item>>,
    ): Promise<ProviderPage<Item>> {
      try {
        const page = await listPage(pageToken);
        if (pageToken !== undefined && page.nextPageToken === pageToken)
          throw new ProviderError('invalid_response', 'The provider returned the requested page as the next page.');
        return page;
      } catch (error) {
        if (pageToken === undefined || !(error instanceof ProviderError) || error.kind !== 'page_expired') throw error;
        count += 1;
        if (count > atMost) throw new ProviderError('invalid_response', 'The provider rejects its own page tokens again and again.');
        return listPage(undefined);
      }
    },
  };
}
