import type { Knex } from 'knex';
import type { EventFeedStore, FeedGap, FeedUpdates, OwnerFeed, Place } from '../../directory/feed/ports.ts';
import { toPageWeight } from '../resources/list-rows.ts';
import type { RunRead } from '../sql/run-read.ts';
import type { ResponseMemory } from '../sql/response-memory.ts';
import { readDirectoryFeed } from './directory-feed.ts';
import { readFeedAcrossDirectories } from './feed-across-directories.ts';
import { maxPageBytes, type WeighedPage } from './feed-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';

interface EventFeedStoreDeps {
  runRead: RunRead;
  runStaleRead: RunRead;
  memory: ResponseMemory;
}

/** Each read counts toward the share of its directory, or of the feed across directories that it reads. */
export function createEventFeedStore({ runRead, runStaleRead, memory }: EventFeedStoreDeps): EventFeedStore {
  return {
    readDirectory: (feed, request) =>
      readWithinShare(feed.directoryId, request.limit, (reading) => readDirectoryFeed(reading, feed, request)),
    readAcross: (feed, request) =>
      readWithinShare(nameOf(feed), request.limit, (reading) => readFeedAcrossDirectories(reading, feed, request)),
    poll: (waiting) => runStaleRead({ cost: 'few', directoryId: 'waiting feeds' }, (reading) => readFeedUpdates(reading, waiting)),
  };

  function readWithinShare<APlace extends Place>(
    owner: string,
    limit: number,
    read: (reading: Knex) => Promise<WeighedPage<APlace> | FeedGap | undefined>,
  ) {
    return memory.read(
      owner,
      toPageWeight(limit, maxPageBytes),
      async () => {
        const share = { cost: 'page', directoryId: owner, isBounded: true } as const;
        const found = await runStaleRead(share, read);
        // A replica may not have the directory yet, or the event that the cursor names. The primary decides.
        const mayBeBehind = found === undefined || ('lost' in found && found.lost === 'moved');
        return mayBeBehind && runStaleRead !== runRead ? runRead(share, read) : found;
      },
      (found) => (found && 'bytes' in found ? found.bytes : 0),
    );
  }
}

const nameOf = (feed: OwnerFeed) => (feed ? `feed of ${JSON.stringify([feed.tenant, feed.product])}` : 'feed of all');

/**
 * Events that were restored from a dump have transaction IDs of another Postgres cluster. If these are ahead of this cluster's, the feed
 * across directories would show the events late and out of order. So all stored events get the lowest transaction ID; their order within a
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

/** The lowest ID of an ordinary transaction. */
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

/** With this many new events, all readers are woken and the owners are not determined. */
const maxCounted = 10_000;

type Across = Pick<FeedUpdates, 'owners' | 'settledTxid'>;

async function readFeedUpdates(
  db: Knex,
  { directoryIds, sinceTxid }: { directoryIds: string[]; sinceTxid: number | undefined },
): Promise<FeedUpdates> {
  const [lastSequences, across] = await Promise.all([
    directoryIds.length > 0 ? readLastSequences(db, directoryIds) : new Map<string, number>(),
    sinceTxid === undefined ? { owners: [], settledTxid: 0 } : readUpdatesAcross(db, sinceTxid),
  ]);
  return { lastSequences, ...across };
}

async function readUpdatesAcross(db: Knex, sinceTxid: number): Promise<Across> {
  const rows = await runPrepared<{ watermark: number; counted: number; owners: Exclude<FeedUpdates['owners'], 'all'> | null }>(
    db,
    'feed-updates',
    () => `with edge as materialized (select pg_snapshot_xmin(pg_current_snapshot()) as watermark
       ), recent as materialized (
         select directory_id, cast(cast(txid as text) as bigint) as txid from (
           select txid, directory_id from stored_events where txid > cast(:sinceTxid as xid8)
           order by txid, directory_id, sequence limit :maxCounted
         ) ahead where txid < (select watermark from edge)
       )
       select cast(cast(watermark as text) as bigint) as watermark, (select count(*) from recent) as counted, (
         select json_agg(json_build_object('tenant', d.tenant, 'product', d.product, 'txid', n.txid))
         from (select directory_id, max(txid) as txid from recent group by directory_id) n join directories d on d.id = n.directory_id
       ) as owners
       from edge`,
    { sinceTxid: String(sinceTxid), maxCounted },
  );
  const { watermark, counted, owners } = rows[0]!;
  return { owners: counted >= maxCounted ? 'all' : (owners ?? []), settledTxid: watermark - 1 };
}

/** Reads the sequence of each directory's last event. */
async function readLastSequences(db: Knex, directoryIds: string[]): Promise<Map<string, number>> {
  const rows = await runPrepared<{ id: string; last_sequence: number }>(
    db,
    'last-sequences',
    () => 'select id, last_sequence from directories where id = any(cast(:directoryIds as uuid[]))',
    { directoryIds },
  );
  return new Map(rows.map(({ id, last_sequence: last }) => [id, last]));
}
