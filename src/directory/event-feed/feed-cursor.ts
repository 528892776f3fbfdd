import { AppError } from '../../errors.ts';
import type { Seal } from '../../scim/cursor.ts';
import { isDirectoryFeed, type Feed, type Place } from './feed.ts';

/** Where a reader of a feed stands, as it is handed to him. It has no age: what it points at may be gone, and then that is said. */
export interface FeedCursor {
  place: Place;
  /** A range's beginning goes with the cursor, whichever page ends before it was reached. */
  from: Date | undefined;
}

export interface FeedCursors {
  write(cursor: FeedCursor, feed: Feed): string;
  read(cursor: string, feed: Feed): FeedCursor;
}

const maxCursorLength = 2000;
const unreserved = /^[\w.~-]+$/;

/** Another tenant's cursor would pass over what this one has not seen. */
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
          'after is no cursor of this feed: send list_metadata.after unchanged, to the same directory, or tenant and product, as before.',
          { field: 'after' },
        );
      const { place, fromMs } = JSON.parse(text) as { place: Place; fromMs?: number };
      return { place, from: fromMs === undefined ? undefined : new Date(fromMs) };
    },
  };
}
