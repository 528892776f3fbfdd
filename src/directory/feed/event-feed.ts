import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { noDirectoryMatches } from '../errors.ts';
import { toEventPayload } from '../event.ts';
import {
  isDirectoryFeed,
  type DirectoryPlace,
  type EventFeedStore,
  type Feed,
  type FeedGap,
  type FeedPage,
  type FeedQuery,
  type FeedRequest,
  type Place,
  type TransactionPlace,
} from './ports.ts';
import type { FeedWatch } from './feed-watch.ts';
import type { Seal } from '../../scim/cursor.ts';

interface EventFeedDeps {
  store: EventFeedStore;
  cursors: FeedCursors;
  watch: Pick<FeedWatch, 'wait'>;
  now?: () => number;
}

interface FeedResponse {
  events: ReturnType<typeof toEventPayload>[];
  after: string;
  hasMore: boolean;
}

export type EventFeed = ReturnType<typeof createEventFeed>;

/** A waiting request reads at most so many pages without a matching event. */
const maxEmptyPages = 10;

/** The events of the webhooks, in the same order, for applications that poll. */
export function createEventFeed({ store, cursors, watch, now = Date.now }: EventFeedDeps) {
  return {
    async read({ after, ...query }: FeedQuery, signal: AbortSignal): Promise<FeedResponse> {
      const { feed } = query;
      const cursor = after === undefined ? undefined : cursors.read(after, feed);
      const from = query.from ?? cursor?.from;
      const { events, place, hasMore } = await readWaiting({ ...query, from }, cursor?.place, signal);
      return {
        events: events.map((event) => toEventPayload(event.directory, event)),
        after: cursors.write({ place, from }, feed),
        hasMore,
      };
    },
  };

  async function readWaiting(query: Omit<FeedQuery, 'after'>, after: Place | undefined, signal: AbortSignal): Promise<FeedPage> {
    const { feed, until, waitMs } = query;
    const endsAt = now() + waitMs;
    // No new event can be in a time range that has passed.
    const canWait = waitMs > 0 && (until === undefined || until.getTime() > now());
    let emptyPages = 0;
    for (let place = after; ;) {
      const page = await read(feed, { ...query, after: place }, signal);
      const leftMs = endsAt - now();
      if (page.events.length > 0 || !canWait || leftMs <= 0 || signal.aborted) return page;
      // Many events do not match: the reader continues after them with its next request.
      if (page.hasMore && ++emptyPages === maxEmptyPages) return page;
      if (!page.hasMore && !(await watch.wait(feed, page.place, { timeoutMs: leftMs, signal }))) return page;
      ({ place } = page);
    }
  }

  async function read(feed: Feed, request: FeedRequest, signal: AbortSignal): Promise<FeedPage> {
    const page = await readPage(feed, request, signal);
    if (!page) throw noDirectoryMatches();
    if ('lost' in page) throw toCursorExpired(page);
    return page;
  }

  /** A cursor is valid for its own feed only, so its place has the right type. */
  async function readPage(feed: Feed, request: FeedRequest, signal: AbortSignal) {
    if (!isDirectoryFeed(feed)) return store.readAcross(feed, { ...request, after: request.after as TransactionPlace | undefined }, signal);
    if (!isId(feed.directoryId)) return undefined;
    return store.readDirectory(feed, { ...request, after: request.after as DirectoryPlace | undefined }, signal);
  }
}

function toCursorExpired({ lost, oldestAt }: FeedGap): AppError {
  const oldest = oldestAt ? `, or with range_start=${oldestAt.toISOString()}, the time of the oldest` : '';
  return new AppError(
    'cursor_expired',
    lost === 'swept'
      ? `Events that you have not read yet were deleted. Start again at the oldest event: without after${oldest}.`
      : 'This cursor is older than a move or restore of the database. Start again without after, with range_start set to the time of the last event that you have.',
    { field: 'after' },
  );
}

/** The position of a reader in a feed. A cursor does not expire, but the events after it may be deleted. */
export interface FeedCursor {
  place: Place;
  /** Start of the time range. It is in the cursor, because the first pages may end before it. */
  from: Date | undefined;
}

interface FeedCursors {
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
