import { ProviderError } from './provider.ts';

/** A token that is too old is worth nothing; what was staged already is staged again. */
export async function startingAnew<Page>(
  pageToken: string | undefined,
  list: (pageToken: string | undefined) => Promise<Page>,
): Promise<Page> {
  try {
    return await list(pageToken);
  } catch (error) {
    if (pageToken === undefined || !(error instanceof ProviderError) || error.kind !== 'page_expired') throw error;
    return list(undefined);
  }
}
