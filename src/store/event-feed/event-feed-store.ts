import type { Knex } from 'knex';
import type { EventFeedStore, FeedGap, OwnerFeed, Place } from '../../directory/feed/feed.ts';
import { toPageWeight } from '../resources/list-rows.ts';
import type { RunRead } from '../sql/run-read.ts';
import type { ResponseMemory } from '../sql/response-memory.ts';
import { readDirectoryFeed } from './directory-feed.ts';
import { readFeedAcross } from './feed-across.ts';
import { readFeedUpdates } from './read-feed-updates.ts';
import { maxPageBytes, type WeighedPage } from './feed-rows.ts';

export interface EventFeedStoreDeps {
  db: Knex;
  runRead: RunRead;
  memory: ResponseMemory;
}

/** Each read counts toward the share of its directory, or of the feed across directories that it reads. */
export function createEventFeedStore({ db, runRead, memory }: EventFeedStoreDeps): EventFeedStore {
  return {
    readDirectory: (feed, request, signal) =>
      readWithinShare(feed.directoryId, request.limit, signal, (reading) => readDirectoryFeed(reading, feed, request)),
    readAcross: (feed, request, signal) =>
      readWithinShare(nameOf(feed), request.limit, signal, (reading) => readFeedAcross(reading, feed, request)),
    poll: (waiting) => readFeedUpdates(db, waiting),
  };

  function readWithinShare<APlace extends Place>(
    owner: string,
    limit: number,
    signal: AbortSignal | undefined,
    read: (reading: Knex) => Promise<WeighedPage<APlace> | FeedGap | undefined>,
  ) {
    return memory.read(
      owner,
      toPageWeight(limit, maxPageBytes),
      () => runRead({ cost: 'page', directoryId: owner, signal, isBounded: true }, read),
      (found) => (found && 'bytes' in found ? found.bytes : 0),
    );
  }
}

const nameOf = (feed: OwnerFeed) => (feed ? `feed of ${JSON.stringify([feed.tenant, feed.product])}` : 'feed of all');
