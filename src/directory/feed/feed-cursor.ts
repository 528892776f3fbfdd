import { AppError } from '../../errors.ts';
import type { Seal } from '../../scim/cursor.ts';
import { isDirectoryFeed, type Feed, type Place } from './ports.ts';

/** The position of a reader in a feed. A cursor does not expire, but the events after it may be deleted. */
export interface FeedCursor {
  place: Place;
  /** Start of the time range. It is in the cursor, because the first pages may end before it. */
  from: Date | undefined;
}

export interface FeedCursors {
  write(cursor: FeedCursor, feed: Feed): string;
  read(cursor: string, feed: Feed): FeedCursor;
}

const maxCursorLength = 2000;
const unreserved = /^[\w.~-]+$/;

/** Binds a cursor to its feed: with another tenant's cursor, a reader would skip events. */
function context(feed: Feed): string {
  const owner = feed === undefined ? [] : isDirectoryFeed(feed) ? [feed.directoryId.toLowerCase()] : [feed.tenant, feed.product];
  return `event feed 1\n${JSON.stringify(owner)}`;
}

export function createFeedCursors({ seal, open }: Seal): FeedCursors {
  return {
    write: ({ place, from }, feed) => seal(JSON.stringify({ place, fromMs: from?.getTime() }), context(feed)),
    read(cursor, feed) {
      const isPossible = cursor.length <= maxCursorLength && unreserved.test(cursor);
      const text = isPossible ? open(cursor, context(feed)) : undefined;
      if (text === undefined)
        throw new AppError(
          'invalid_request',
          'after is not a cursor of this feed: send list_metadata.after unchanged, with the same directory, or tenant and product, as before.',
          { field: 'after' },
        );
      const { place, fromMs } = JSON.parse(text) as { place: Place; fromMs?: number };
      return { place, from: fromMs === undefined ? undefined : new Date(fromMs) };
    },
  };
}
