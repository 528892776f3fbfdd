import type { DirectoryEvent, EventType } from '../event.ts';
import type { Directory } from '../directory.ts';
import type { DirectorySelector } from '../ports.ts';

/** Whose events are read: one directory's, those of a tenant and product, or (undefined) all that there are. */
export type Feed = DirectorySelector | undefined;
export type DirectoryFeed = Extract<DirectorySelector, { directoryId: string }>;
export type OwnersFeed = Exclude<Feed, DirectoryFeed>;

/** In one directory: all up to this sequence is behind the reader. Sequences are gapless and in commit order. */
export interface DirectoryPlace {
  sequence: number;
}

/**
 * Across directories, by transaction: all up to this event is behind the reader; where no event is named, all of the transaction. Only
 * what is older than every transaction still open is read, so nothing can come to stand before it.
 */
export interface TransactionPlace {
  /** Numbers of transactions mean nothing in another database. */
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
  /** From this time on. */
  from?: Date | undefined;
  /** Before this time. */
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
  /** Where the reader now stands: it may have moved although there is no event for him. */
  place: APlace;
  /** There is more that he has not passed yet, as far as was looked. */
  hasMore: boolean;
}

/** Something that the reader has not seen is gone, or his place means nothing here. */
export interface FeedLoss {
  lost: 'swept' | 'moved';
  oldestAt: Date | undefined;
}

export interface FeedNews {
  /** The last sequence of each directory that was asked for; one that is gone has none. */
  lastSequences: Map<string, number>;
  /** Whose events became readable, with the newest transaction of each; `everybody` if there were too many to tell. */
  owners: { tenant: string; product: string; txid: number }[] | 'everybody';
  /** Up to here, both included, nothing new can become readable. */
  settledTxid: number;
}

/** A read ends, also in the database, once its signal is aborted: its reader has gone. */
export interface EventFeedStore {
  /** Undefined if there is no such directory. */
  readDirectory(
    feed: DirectoryFeed,
    request: FeedRequest<DirectoryPlace>,
    signal?: AbortSignal,
  ): Promise<FeedPage<DirectoryPlace> | FeedLoss | undefined>;
  /** Undefined if the tenant has no directory of the product. */
  readAcross(
    feed: OwnersFeed,
    request: FeedRequest<TransactionPlace>,
    signal?: AbortSignal,
  ): Promise<FeedPage<TransactionPlace> | FeedLoss | undefined>;
  /** What is new, for all who wait. */
  look(waiting: { directoryIds: string[]; sinceTxid: number | undefined }): Promise<FeedNews>;
}

export const isOfDirectory = (feed: Feed): feed is DirectoryFeed => feed !== undefined && 'directoryId' in feed;
