import { UsageError } from '../failures.ts';

export interface FeedOptions {
  directory?: string;
  tenant?: string;
  product?: string;
  types?: string;
}

/** The part of a question to the feed that says whose events, and which. */
export function toFeedQuery({ directory, tenant, product, types }: FeedOptions, example: string) {
  if (directory === undefined && (tenant === undefined) !== (product === undefined))
    throw new UsageError(
      `--tenant and --product belong together: ${tenant === undefined ? '--tenant' : '--product'} is missing. Example: ${example}`,
    );
  return { directoryId: directory, tenant, product, events: types };
}
