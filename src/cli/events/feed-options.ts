import type { Typed } from '../add-command.ts';
import { UsageError } from '../failures.ts';

export interface FeedOptions {
  directory?: string;
  tenant?: string;
  product?: string;
  types?: string;
}

/** The part of a question to the feed that says whose events, and which. */
export function toFeedQuery({ options: { directory, tenant, product, types }, exampleFor }: Typed<FeedOptions>) {
  if (directory === undefined && (tenant === undefined) !== (product === undefined))
    throw new UsageError(
      `--tenant and --product belong together: ${tenant === undefined ? '--tenant' : '--product'} is missing. Example: ${exampleFor('--tenant')}`,
    );
  return { directoryId: directory, tenant, product, events: types };
}

export type FeedQuery = ReturnType<typeof toFeedQuery>;
