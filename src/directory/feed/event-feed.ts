import { AppError } from '../../errors.ts';
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
import { createHash } from 'node:crypto';
import { isId } from '../../ids.ts';

interface EventFeedDeps {
  store: EventFeedStore;
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
export function createEventFeed({ store, watch, now = Date.now }: EventFeedDeps) {
  return {
    async read({ after, ...query }: FeedQuery, signal: AbortSignal): Promise<FeedResponse> {
      const { feed } = query;
      const cursor = after === undefined ? undefined : readFeedCursor(after, feed);
      const from = query.from ?? cursor?.from;
      const { events, place, hasMore } = await readWaiting({ ...query, from }, cursor?.place, signal);
      return {
        events: events.map((event) => toEventPayload(event.directory, event)),
        after: writeFeedCursor({ place, from }, feed),
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

const maxCursorLength = 2000;
const unreserved = /^[\w.~-]+$/;

/**
 * Binds a cursor to its feed: with the cursor of another feed, a reader would skip events. A cursor is not encrypted, so that it outlives
 * every key: it names only a position, and what may be read there is decided by the feed that is asked for.
 */
function bindingTo(feed: Feed): string {
  const owner = feed === undefined ? [] : isDirectoryFeed(feed) ? [feed.directoryId.toLowerCase()] : [feed.tenant, feed.product];
  return createHash('sha256')
    .update(`event feed 1\n${JSON.stringify(owner)}`)
    .digest('base64url')
    .slice(0, 22);
}

export const writeFeedCursor = ({ place, from }: FeedCursor, feed: Feed): string =>
  Buffer.from(JSON.stringify({ feed: bindingTo(feed), place, fromMs: from?.getTime() })).toString('base64url');

/** Anybody can write a cursor, so each part of it is checked. */
export function readFeedCursor(cursor: string, feed: Feed): FeedCursor {
  const content = cursor.length <= maxCursorLength && unreserved.test(cursor) ? parse(cursor) : undefined;
  const { place, fromMs } = content ?? {};
  if (content?.feed !== bindingTo(feed) || !isPlaceIn(place, feed) || !isTime(fromMs))
    throw new AppError(
      'invalid_request',
      'after is not a cursor of this feed: send list_metadata.after unchanged, with the same directory, or tenant and product, as before.',
      { field: 'after' },
    );
  return { place, from: fromMs === undefined ? undefined : new Date(fromMs) };
}

function parse(cursor: string): { feed?: unknown; place?: unknown; fromMs?: unknown } | undefined {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { feed?: unknown } | undefined;
  } catch {
    return undefined;
  }
}

function isPlaceIn(place: unknown, feed: Feed): place is Place {
  if (typeof place !== 'object' || place === null) return false;
  const { sequence, database, txid, event } = place as Partial<Record<'sequence' | 'database' | 'txid' | 'event', unknown>>;
  if (isDirectoryFeed(feed)) return isSequence(sequence);
  return typeof database === 'string' && isTransactionId(txid) && (event === undefined || isEventPlace(event));
}

function isEventPlace(event: unknown): boolean {
  if (typeof event !== 'object' || event === null) return false;
  const { directoryId, sequence } = event as { directoryId?: unknown; sequence?: unknown };
  return typeof directoryId === 'string' && isId(directoryId) && isSequence(sequence);
}

const isSequence = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isTransactionId = (value: unknown): boolean => typeof value === 'string' && /^\d{1,20}$/.test(value) && BigInt(value) < 2n ** 64n;
/** Up to the year 9999. */
const isTime = (value: unknown): value is number | undefined =>
  value === undefined || (Number.isSafeInteger(value) && Math.abs(Number(value)) < 253_402_300_800_000);
