import { ProviderError, type HostedPage } from './provider.ts';

/**
 * Lists a page. A token that is too old is worth nothing: the list begins anew, and what was staged already is staged again. A provider
 * that goes round in circles is not followed for ever.
 */
export function createStartingAnew({ restarts = 0, atMost }: { restarts?: number | undefined; atMost: number }) {
  let count = restarts;
  return {
    /** To be carried on to the next step. */
    restarts: () => count,
    async list<Item>(
      pageToken: string | undefined,
      listPage: (pageToken: string | undefined) => Promise<HostedPage<Item>>,
    ): Promise<HostedPage<Item>> {
      try {
        const page = await listPage(pageToken);
        if (pageToken !== undefined && page.nextPageToken === pageToken)
          throw new ProviderError('unreadable', 'The provider says that the next page is the one that was asked for.');
        return page;
      } catch (error) {
        if (pageToken === undefined || !(error instanceof ProviderError) || error.kind !== 'page_expired') throw error;
        count += 1;
        if (count > atMost)
          throw new ProviderError('unreadable', 'The provider does not know its own page tokens any more, each time anew.');
        return listPage(undefined);
      }
    },
  };
}
