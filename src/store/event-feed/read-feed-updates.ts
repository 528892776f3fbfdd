import type { Knex } from 'knex';
import type { FeedUpdates } from '../../directory/feed/ports.ts';
import { runPrepared } from '../sql/run-prepared.ts';

/** With this many new events, all readers are woken and the owners are not determined. */
const maxCounted = 10_000;

type Across = Pick<FeedUpdates, 'owners' | 'settledTxid'>;

export async function readFeedUpdates(
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
export async function readLastSequences(db: Knex, directoryIds: string[]): Promise<Map<string, number>> {
  const rows = await runPrepared<{ id: string; last_sequence: number }>(
    db,
    'last-sequences',
    () => 'select id, last_sequence from directories where id = any(cast(:directoryIds as uuid[]))',
    { directoryIds },
  );
  return new Map(rows.map(({ id, last_sequence: last }) => [id, last]));
}
