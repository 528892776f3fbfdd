import type { Knex } from 'knex';
import type { EventFeedStore, FeedGap, OwnerFeed, Place } from '../../directory/feed/ports.ts';
import { toPageWeight } from '../resources/list-rows.ts';
import type { RunRead } from '../sql/run-read.ts';
import type { ResponseMemory } from '../sql/response-memory.ts';
import { readDirectoryFeed } from './directory-feed.ts';
import { readFeedAcross } from './feed-across.ts';
import { readFeedUpdates } from './read-feed-updates.ts';
import { maxPageBytes, type WeighedPage } from './feed-rows.ts';

interface EventFeedStoreDeps {
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

/**
 * Events that were restored from a dump have transaction ids of another Postgres cluster. If these are ahead of this cluster's, the feed
 * across directories would show the events late and out of order. So all stored events get the lowest transaction id; their order within a
 * directory stays. Cursors from the other cluster are rejected.
 */
export async function settleTransactions(db: Knex): Promise<void> {
  if (!(await isAhead(db))) return;
  await db.transaction(async (trx) => {
    await trx.raw('set local statement_timeout = 0');
    await trx.raw('set local lock_timeout = 0');
    // Other processes that start at the same time wait here and then find nothing to do.
    await trx.raw('lock table feed_horizon in exclusive mode');
    if (!(await isAhead(trx))) return;
    await trx.raw(`update feed_horizon set swept_txid = '0'`);
    await trx.raw('update all_directories set trimmed_txid = null where trimmed_txid is not null');
    await trx.raw('update stored_events set txid = ? where txid <> ?', [firstTxid, firstTxid]);
  });
}

/** The lowest id of an ordinary transaction. */
const firstTxid = '3';

async function isAhead(db: Knex): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { is_ahead: boolean | null }[] }>(
    `select pg_snapshot_xmax(pg_current_snapshot()) <= greatest(
       (select txid from stored_events order by txid desc, directory_id desc, sequence desc limit 1), (select swept_txid from feed_horizon limit 1),
       (select trimmed_txid from all_directories where trimmed_txid is not null order by trimmed_txid desc limit 1)
     ) as is_ahead`,
  );
  return rows[0]?.is_ahead === true;
}
