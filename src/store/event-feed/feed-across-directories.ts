import { lowestId } from '../../ids.ts';
import type { Knex } from 'knex';
import type { FeedGap, FeedRequest, OwnerFeed, TransactionPlace } from '../../directory/feed/ports.ts';
import {
  maxPageBytes,
  storedSize,
  toFeedEvent,
  toFiltering,
  toScanLimit,
  weighPage,
  type EventRow,
  type WeighedPage,
} from './feed-rows.ts';
import { jsonWeight } from '../sql/response-memory.ts';

interface Row extends EventRow {
  database: string;
  watermark: string;
  swept: string;
  is_known: boolean;
  matched: number;
  scanned: number;
  scanned_txid: string | null;
  scanned_directory_id: string;
  scanned_sequence: number;
  place: number | null;
  txid: string;
  next_txid: string | null;
}

/**
 * Identifies the database in cursors, since transaction IDs have no meaning in another one. The `xmin` of these two rows, which the first
 * migration and the first start write, survives upgrades and failovers of Postgres and changes when a dump is restored.
 */
const database = `concat_ws('-', (select xmin from knex_migrations order by id limit 1), (select xmin from encryption_check order by sealed limit 1))`;
const watermark = 'pg_snapshot_xmin(pg_current_snapshot())';
/** The time of an event may differ from the time at which its transaction got its ID. */
const timeMarginMs = 60_000;
/** Skips the events of directories that are being deleted, which may take a while. */
const isKept = 'directory_id not in (select id from all_directories where deleting_at is not null)';

const maxTxid = '18446744073709551615';
const maxSequence = '9223372036854775807';
const maxId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export async function readFeedAcrossDirectories(
  db: Knex,
  owner: OwnerFeed,
  request: FeedRequest<TransactionPlace>,
): Promise<WeighedPage<TransactionPlace> | FeedGap | undefined> {
  const { after, order, limit, from, until } = request;
  const isUp = order === 'asc';
  const [fromTxid, untilTxid] = await Promise.all([
    from && findTransaction(db, new Date(from.getTime() - timeMarginMs)),
    until && findTransaction(db, new Date(until.getTime() + timeMarginMs)),
  ]);
  const start = isUp
    ? laterOf(after ?? { txid: '0' }, { txid: fromTxid ?? '0' })
    : earlierOf(after ?? { txid: maxTxid }, { txid: untilTxid ?? maxTxid });
  const isPast = isUp && untilTxid !== undefined && compare(start, { txid: untilTxid }) >= 0;
  const scanLimit = toScanLimit(limit, !isPast);
  const { conditions, bindings } = toFiltering(request);
  const { rows } = await db.raw<{ rows: Row[] }>(toStatement(owner, order, conditions), {
    fromTxid: fromTxid ?? '0',
    untilTxid: untilTxid ?? maxTxid,
    txid: start.txid,
    directoryId: start.event?.directoryId ?? maxId,
    sequence: start.event?.sequence ?? maxSequence,
    scanLimit,
    limit,
    maxPageBytes,
    ...owner,
    ...bindings,
  });
  const first = rows[0]!;
  if (!first.is_known) return undefined;
  const [swept, settled] = [BigInt(first.swept), BigInt(first.watermark) - 1n];
  if (after && (after.database !== first.database || BigInt(after.txid) > settled)) return { lost: 'moved', oldestAt: undefined };
  if (swept > 0n && (after ? hasLost(after, { swept, isUp }) : untilTxid !== undefined && BigInt(untilTxid) <= swept))
    return { lost: 'swept', oldestAt: await oldestAt(db, owner, first.swept) };

  const shown = rows.filter((row) => row.place !== null);
  const end = untilTxid !== undefined && BigInt(untilTxid) < settled ? BigInt(untilTxid) : settled;
  const place = placeAfter(first, shown, { after, isUp, scanLimit, end });
  return {
    events: shown.map(toFeedEvent),
    bytes: weighPage(shown),
    place: {
      database: first.database,
      ...(await hideOthers({ db, owner, isUp }, place, [shown.at(-1)?.directory_id, after?.event?.directoryId])),
    },
    hasMore: first.matched > shown.length || first.scanned >= scanLimit,
  };
}

function toStatement(owner: OwnerFeed, order: FeedRequest['order'], conditions: string[]): string {
  const isUp = order === 'asc';
  const trimmed = `select trimmed_txid from directories where trimmed_txid is not null${owner ? ` and ${isOwn(owner)}` : ''}
    order by trimmed_txid desc limit 1`;
  const ownIds = owner && `select id from directories where ${isOwn(owner)}`;
  // One bound is applied before the limit and the other one after it. With both, Postgres would expect a small range and might sort it.
  const [isBeyond, edgeStart, far] = isUp
    ? [
        'swept >= cast(:txid as xid8)',
        ['swept', maxId, maxSequence],
        'txid < (select watermark from edge) and txid <= cast(:untilTxid as xid8)',
      ]
    : [
        'watermark <= cast(:txid as xid8)',
        ['watermark', lowestId, '0'],
        'txid > (select greatest(swept, cast(:fromTxid as xid8)) from edge)',
      ];
  const scan = `select * from (
      select txid, directory_id, sequence, type, occurred_at from stored_events
      where (txid, directory_id, sequence) ${isUp ? '>' : '<'}
        ((select start_txid from edge), (select start_directory_id from edge), (select start_sequence from edge))
      order by txid ${order}, directory_id ${order}, sequence ${order} limit :scanLimit
    ) ahead where ${far}`;
  return `with horizon as materialized (
     select ${database} as database, ${watermark} as watermark, greatest((select swept_txid from feed_horizon limit 1), (${trimmed}), '0') as swept
   ), edge as materialized (
     select horizon.*, case when ${isBeyond} then ${edgeStart[0]!} else cast(:txid as xid8) end as start_txid,
       case when ${isBeyond} then cast('${edgeStart[1]!}' as uuid) else cast(:directoryId as uuid) end as start_directory_id,
       case when ${isBeyond} then ${edgeStart[2]!} else cast(:sequence as bigint) end as start_sequence
     from horizon
   ), matching as materialized (
     select txid, directory_id, sequence from (${scan}) scanned
     where ${[...conditions, ownIds ? `directory_id in (${ownIds})` : isKept].join(' and ')}
     order by txid ${order}, directory_id ${order}, sequence ${order} limit cast(:limit as int) + 1
   ), sized as (
     select m.*, lead(m.txid) over by_place as next_txid,
       sum(size) over (by_place rows between unbounded preceding and 1 preceding) as size_before
     from matching m cross join lateral (
       select ${storedSize} as size from stored_events where directory_id = m.directory_id and sequence = m.sequence offset 0
     ) e
     window by_place as (order by m.txid ${order}, m.directory_id ${order}, m.sequence ${order})
   ), page as (
     select m.txid, m.next_txid, e.*, row_number() over by_place as place,
       sum(weight) over (by_place rows between unbounded preceding and 1 preceding) as bytes_before
     from (select * from sized where coalesce(size_before, 0) < :maxPageBytes) m cross join lateral (
       select e.directory_id, d.tenant, d.product, e.sequence, e.id, e.type, e.data, e.occurred_at,
         coalesce(${jsonWeight('e.data')}, 0) as weight
       from events e join directories d on d.id = e.directory_id
       where e.directory_id = m.directory_id and e.sequence = m.sequence offset 0
     ) e
     window by_place as (order by m.txid ${order}, m.directory_id ${order}, m.sequence ${order})
   ), scan as (
     select count(*) over () as scanned, txid as scanned_txid, directory_id as scanned_directory_id, sequence as scanned_sequence
     from (${scan}) scanned where (select count(*) from matching) <= :limit
     order by txid ${isUp ? 'desc' : 'asc'}, directory_id ${isUp ? 'desc' : 'asc'}, sequence ${isUp ? 'desc' : 'asc'} limit 1
   )
   select edge.*, ${owner?.tenant !== undefined && owner.product !== undefined ? `exists (${ownIds})` : 'true'} as is_known, (select count(*) from matching) as matched,
     coalesce(scanned, 0) as scanned, scanned_txid, scanned_directory_id, scanned_sequence,
     page.place, page.txid, page.next_txid, page.directory_id, page.tenant, page.product, page.sequence, page.id, page.type, page.data,
     page.occurred_at, page.weight
   from edge left join scan on true
     left join page on page.place <= :limit and coalesce(page.bytes_before, 0) < :maxPageBytes
   order by page.place`;
}

/** SQL for the directories of a feed. */
const isOwn = ({ tenant, product }: NonNullable<OwnerFeed>): string =>
  [...(tenant === undefined ? [] : ['tenant = :tenant']), ...(product === undefined ? [] : ['product = :product'])].join(' and ');

/**
 * The place of a scan may be at an event of another owner, whose directory the cursor must not name. All events up to the owner's next
 * directory, by ID, are others' too: the place moves there, or to the end of the transaction.
 */
async function hideOthers(
  { db, owner, isUp }: { db: Knex; owner: OwnerFeed; isUp: boolean },
  place: Spot,
  known: (string | undefined)[],
): Promise<Spot> {
  const { txid, event } = place;
  if (!owner || !event || known.includes(event.directoryId)) return place;
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select id from directories where ${isOwn(owner)} and id ${isUp ? '>=' : '<='} :id order by id ${isUp ? 'asc' : 'desc'} limit 1`,
    { ...owner, id: event.directoryId },
  );
  const next = rows[0]?.id;
  if (next === event.directoryId) return place;
  if (next !== undefined) return { txid, event: { directoryId: next, sequence: isUp ? 0 : Number.MAX_SAFE_INTEGER } };
  return isUp ? { txid } : { txid: String(BigInt(txid) - 1n) };
}

/** Retention may have dropped a transaction that the reader has read in part. */
function hasLost({ txid, event }: TransactionPlace, { swept, isUp }: { swept: bigint; isUp: boolean }): boolean {
  if (BigInt(txid) !== swept) return BigInt(txid) < swept;
  return !isUp || event !== undefined;
}

interface Reading {
  after: TransactionPlace | undefined;
  isUp: boolean;
  scanLimit: number;
  /** The last transaction that the page can reach. */
  end: bigint;
}

function placeAfter(first: Row, shown: Row[], { after, isUp, scanLimit, end }: Reading): Spot {
  const last = shown.at(-1);
  // Backwards, the place stays at the last event, because a reader may continue forward from there.
  if (last && (!isUp || first.matched > shown.length)) {
    const isWhole = isUp && last.next_txid !== null && last.next_txid !== last.txid;
    return { txid: last.txid, ...(!isWhole && { event: { directoryId: last.directory_id, sequence: last.sequence } }) };
  }
  const scannedTo = first.scanned_txid !== null && {
    txid: first.scanned_txid,
    event: { directoryId: first.scanned_directory_id, sequence: first.scanned_sequence },
  };
  if (scannedTo && (!isUp || first.scanned >= scanLimit)) return scannedTo;
  if (after && !isUp) return after;
  return after && BigInt(after.txid) > end ? after : { txid: String(end) };
}

type Spot = Omit<TransactionPlace, 'database'>;

/** A place after a whole transaction is later than each of its events. */
function compare(one: Spot, other: Spot): number {
  if (one.txid !== other.txid) return BigInt(one.txid) < BigInt(other.txid) ? -1 : 1;
  return Number(!one.event) - Number(!other.event);
}

const laterOf = (one: Spot, other: Spot): Spot => (compare(one, other) < 0 ? other : one);
const earlierOf = (one: Spot, other: Spot): Spot => (compare(one, other) > 0 ? other : one);

/** Finds the last transaction whose events are before a time, or the last dropped one. It is exact up to `timeMarginMs`. */
async function findTransaction(db: Knex, time: Date): Promise<string> {
  const { rows } = await db.raw<{ rows: { txid: string }[] }>(
    `with recursive search (low, high) as (
       select coalesce((select cast(cast(swept_txid as text) as bigint) from feed_horizon limit 1), 0), cast(cast(${watermark} as text) as bigint)
       union all
       select case when probe.occurred_at < :time then probe.number else low end,
         case when probe.occurred_at < :time then high else middle end
       from search cross join lateral (select low + (high - low) / 2 as middle) m
         left join lateral (
           select cast(cast(txid as text) as bigint) as number, occurred_at from stored_events
           where txid >= cast(cast(middle as text) as xid8) order by txid, directory_id, sequence limit 1
         ) probe on probe.number < high
       where high - low > 1
     )
     select cast(low as text) as txid from search where high - low <= 1`,
    { time },
  );
  return rows[0]?.txid ?? '0';
}

async function oldestAt(db: Knex, owner: OwnerFeed, swept: string): Promise<Date | undefined> {
  const { rows } = await db.raw<{ rows: { occurred_at: Date }[] }>(
    owner
      ? `select oldest.occurred_at from directories d cross join lateral (
           select occurred_at from stored_events where directory_id = d.id and txid > cast(:swept as xid8) order by sequence limit 1
         ) oldest where ${isOwn(owner)} order by oldest.occurred_at limit 1`
      : `select occurred_at from stored_events where txid > cast(:swept as xid8) order by txid, directory_id, sequence limit 1`,
    { ...owner, swept },
  );
  return rows[0]?.occurred_at;
}
