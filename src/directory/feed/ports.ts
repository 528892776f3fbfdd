import type { DirectoryEvent, EventType } from '../event.ts';
import type { Directory } from '../directories/directory.ts';
import type { DirectorySelector } from '../ports.ts';

/** The events of one directory, of a tenant, a product or both, or (undefined) of all directories. */
export type Feed = DirectoryFeed | OwnerFeed;
export type DirectoryFeed = Extract<DirectorySelector, { directoryId: string }>;
export type OwnerFeed = { tenant?: string; product?: string } | undefined;

/** In one directory: the sequence of the last event that was read. Sequences are gapless and in commit order. */
export interface DirectoryPlace {
  sequence: number;
}

/**
 * Across directories: the last event that was read, or without `event`, the last transaction. Only events older than every open transaction
 * are read, so that no event can appear before this place.
 */
export interface TransactionPlace {
  /** Transaction IDs are valid in this database only. */
  database: string;
  txid: string;
  event?: { directoryId: string; sequence: number };
}

export type Place = DirectoryPlace | TransactionPlace;

export interface FeedRequest<APlace extends Place = Place> {
  after?: APlace | undefined;
  order: 'asc' | 'desc';
  limit: number;
  types?: EventType[] | undefined;
  /** The range includes this time. */
  from?: Date | undefined;
  /** The range ends before this time. */
  until?: Date | undefined;
}

/** What a reader asks for. */
export interface FeedQuery extends Omit<FeedRequest, 'after'> {
  feed: Feed;
  /** A cursor, as it was received. */
  after: string | undefined;
  waitMs: number;
}

export interface FeedEvent extends DirectoryEvent {
  directory: Pick<Directory, 'id' | 'tenant' | 'product'>;
}

export interface FeedPage<APlace extends Place = Place> {
  events: FeedEvent[];
  /** The reader's new place. It may advance without a matching event. */
  place: APlace;
  /** Whether there are events after `place`, matching or not. */
  hasMore: boolean;
}

/** Events after the reader's place were deleted (`swept`), or the place is from another database (`moved`). */
export interface FeedGap {
  lost: 'swept' | 'moved';
  oldestAt: Date | undefined;
}

export interface FeedUpdates {
  /** The last sequence of each requested directory; a deleted one is missing. */
  lastSequences: Map<string, number>;
  /** Owners of new events, with the newest transaction of each; `all` if there are too many to list. */
  owners: { tenant: string; product: string; txid: number }[] | 'all';
  /** No new event can appear up to this transaction. */
  settledTxid: number;
}

export interface EventFeedStore {
  /** Undefined if there is no such directory. */
  readDirectory(feed: DirectoryFeed, request: FeedRequest<DirectoryPlace>): Promise<FeedPage<DirectoryPlace> | FeedGap | undefined>;
  /** Undefined if both are given, and the tenant has no directory of the product. */
  readAcross(feed: OwnerFeed, request: FeedRequest<TransactionPlace>): Promise<FeedPage<TransactionPlace> | FeedGap | undefined>;
  /** What is new for the waiting requests. */
  poll(waiting: { directoryIds: string[]; sinceTxid: number | undefined }): Promise<FeedUpdates>;
}

export const isDirectoryFeed = (feed: Feed): feed is DirectoryFeed => feed !== undefined && 'directoryId' in feed;
