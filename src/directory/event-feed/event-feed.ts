import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { toEventPayload } from '../event.ts';
import {
  isOfDirectory,
  type DirectoryPlace,
  type EventFeedStore,
  type Feed,
  type FeedLoss,
  type FeedPage,
  type FeedQuery,
  type FeedRequest,
  type Place,
  type TransactionPlace,
} from './feed.ts';
import type { FeedCursors } from './feed-cursor.ts';
import type { FeedWatch } from './feed-watch.ts';

export interface EventFeedDeps {
  store: EventFeedStore;
  cursors: FeedCursors;
  watch: Pick<FeedWatch, 'wait'>;
  now?: () => number;
}

export interface FeedAnswer {
  events: ReturnType<typeof toEventPayload>[];
  after: string;
  hasMore: boolean;
}

export type EventFeed = ReturnType<typeof createEventFeed>;

/** Without any event, of so many rows each, that one request that waits may look through. */
const maxEmptyPages = 10;

/** Events to be fetched instead of waited for: the same as the webhooks, in the same order. */
export function createEventFeed({ store, cursors, watch, now = Date.now }: EventFeedDeps) {
  return {
    async read({ after, ...query }: FeedQuery, signal: AbortSignal): Promise<FeedAnswer> {
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
    // What has passed does not come any more.
    const mayCome = waitMs > 0 && (until === undefined || until.getTime() > now());
    let emptyPages = 0;
    for (let place = after; ;) {
      const page = await read(feed, { ...query, after: place }, signal);
      const leftMs = endsAt - now();
      if (page.events.length > 0 || !mayCome || leftMs <= 0 || signal.aborted) return page;
      // There is much before the reader that he did not ask for: he comes again with the place up to which that is known.
      if (page.hasMore && ++emptyPages === maxEmptyPages) return page;
      if (!page.hasMore && !(await watch.wait(feed, page.place, { timeoutMs: leftMs, signal }))) return page;
      ({ place } = page);
    }
  }

  async function read(feed: Feed, request: FeedRequest, signal: AbortSignal): Promise<FeedPage> {
    const page = await ask(feed, request, signal);
    if (!page) throw new AppError('not_found', 'There is no such directory.');
    if ('lost' in page) throw lossOf(page);
    return page;
  }

  /** A cursor opens for its own feed only, so its place is of that kind. */
  async function ask(feed: Feed, request: FeedRequest, signal: AbortSignal) {
    if (!isOfDirectory(feed)) return store.readAcross(feed, { ...request, after: request.after as TransactionPlace | undefined }, signal);
    if (!isId(feed.directoryId)) return undefined;
    return store.readDirectory(feed, { ...request, after: request.after as DirectoryPlace | undefined }, signal);
  }
}

function lossOf({ lost, oldestAt }: FeedLoss): AppError {
  const oldest = oldestAt ? `, or with range_start=${oldestAt.toISOString()}, the time of the oldest` : '';
  return new AppError(
    'cursor_expired',
    lost === 'swept'
      ? `Events that you have not read yet are no longer kept. Begin again at the oldest one: without after${oldest}.`
      : 'This cursor was made before the database was moved or restored. Begin again without after, with range_start set to the time of the last event that you have.',
    { field: 'after' },
  );
}
