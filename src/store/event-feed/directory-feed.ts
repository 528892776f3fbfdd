import type { Knex } from 'knex';
import type { DirectoryFeed, DirectoryPlace, FeedGap, FeedRequest } from '../../directory/feed/ports.ts';
import {
  maxPageBytes,
  storedSize,
  toFeedEvent,
  toFiltering,
  toScanLimit,
  weighPage,
  type EventRow,
  type WeighedPage,
  lastSequenceBefore,
} from './feed-rows.ts';
import { jsonWeight } from '../sql/response-memory.ts';

interface Row extends EventRow {
  last_sequence: number;
  swept_sequence: number;
  matched: number;
  scanned: number;
  scanned_to: number | null;
  /** Null if the page is empty. */
  place: number | null;
}

/** Reads a page in one statement, so that events dropped by retention at the same time are either seen or reported as lost. */
export async function readDirectoryFeed(
  db: Knex,
  { directoryId, tenant, product }: DirectoryFeed,
  request: FeedRequest<DirectoryPlace>,
): Promise<WeighedPage<DirectoryPlace> | FeedGap | undefined> {
  const { after, order, limit, from, until } = request;
  const isUp = order === 'asc';
  const [fromSequence, untilSequence] = await Promise.all([
    from && findSequence(db, directoryId, from),
    until && findSequence(db, directoryId, until),
  ]);
  const { conditions, bindings } = toFiltering(request);
  const scanLimit = toScanLimit(limit, request.types !== undefined);
  const above = Math.max((isUp && after?.sequence) || 0, fromSequence ?? 0);
  const upTo = Math.min(isUp || !after ? Infinity : after.sequence - 1, untilSequence ?? Infinity);
  const { rows } = await db.raw<{ rows: Row[] }>(toStatement(order, conditions), {
    directoryId,
    tenant: tenant ?? null,
    product: product ?? null,
    above,
    upTo: Math.min(upTo, Number.MAX_SAFE_INTEGER),
    scanLimit,
    limit,
    maxPageBytes,
    ...bindings,
  });
  const [first] = rows;
  if (!first) return undefined;
  const { last_sequence: last, swept_sequence: swept } = first;
  if (after && after.sequence > last) return { lost: 'moved', oldestAt: undefined };
  const isLost = after
    ? isUp
      ? after.sequence < swept
      : after.sequence > 1 && after.sequence <= swept
    : swept > 0 && untilSequence === swept;
  if (isLost) return { lost: 'swept', oldestAt: await oldestAt(db, directoryId, swept) };

  const shown = rows.filter(({ place }) => place !== null);
  const place = placeAfter(shown.at(-1));
  return {
    events: shown.map(toFeedEvent),
    bytes: weighPage(shown),
    place: { sequence: place },
    hasMore: first.matched > shown.length || first.scanned >= scanLimit,
  };

  function placeAfter(lastShown: Row | undefined): number {
    if (lastShown && (!isUp || first!.matched > shown.length)) return lastShown.sequence;
    if (first!.scanned >= scanLimit) return first!.scanned_to!;
    const end = Math.min(untilSequence ?? Infinity, last);
    return isUp ? Math.max(end, after?.sequence ?? 0) : (first!.scanned_to ?? after?.sequence ?? end);
  }
}

function toStatement(order: FeedRequest['order'], conditions: string[]): string {
  const isUp = order === 'asc';
  // One bound is applied before the limit and the other one after it. With both, Postgres would expect a small range and might sort it.
  const [near, far] = [
    'sequence > greatest(cast(:above as bigint), (select swept_sequence from d))',
    'sequence <= least(cast(:upTo as bigint), (select last_sequence from d))',
  ];
  const scan = `select * from (
      select sequence, type, occurred_at from stored_events where directory_id = :directoryId and ${isUp ? near : far}
      order by directory_id ${order}, sequence ${order} limit :scanLimit
    ) ahead where ${isUp ? far : near}`;
  return `with d as materialized (
     select id, tenant, product, last_sequence, swept_sequence from directories
     where id = :directoryId and (cast(:tenant as text) is null or tenant = :tenant) and (cast(:product as text) is null or product = :product)
   ), matching as materialized (
     select sequence from (${scan}) scanned where ${conditions.join(' and ')} order by sequence ${order} limit cast(:limit as int) + 1
   ), sized as (
     select sequence, sum(size) over (order by sequence ${order} rows between unbounded preceding and 1 preceding) as size_before
     from matching m cross join lateral (
       select ${storedSize} as size from stored_events where directory_id = :directoryId and sequence = m.sequence offset 0
     ) e
   ), page as (
     select e.*, row_number() over by_place as place,
       sum(weight) over (by_place rows between unbounded preceding and 1 preceding) as bytes_before
     from (select sequence from sized where coalesce(size_before, 0) < :maxPageBytes) m cross join lateral (
       select sequence, id, type, data, occurred_at, coalesce(${jsonWeight('data')}, 0) as weight
       from events where directory_id = :directoryId and sequence = m.sequence offset 0
     ) e
     window by_place as (order by e.sequence ${order})
   ), scan as (
     select count(*) as scanned, ${isUp ? 'max' : 'min'}(sequence) as scanned_to from (${scan}) scanned
     where (select count(*) from matching) <= :limit
   )
   select d.id as directory_id, d.tenant, d.product, d.last_sequence, d.swept_sequence, (select count(*) from matching) as matched,
     scan.scanned, scan.scanned_to, page.place, page.sequence, page.id, page.type, page.data, page.occurred_at, page.weight
   from d cross join scan left join page on page.place <= :limit and coalesce(page.bytes_before, 0) < :maxPageBytes
   order by page.place`;
}

/** Finds the last sequence before a time, or the last dropped sequence. */
export async function findSequence(db: Knex, directoryId: string, time: Date): Promise<number> {
  const { rows } = await db.raw<{ rows: { sequence: number }[] }>(
    `select edge.sequence from directories d cross join lateral (
       ${lastSequenceBefore({ directoryId: 'd.id', low: 'd.swept_sequence', high: 'd.last_sequence', time: ':time' })}
     ) edge where d.id = :directoryId`,
    { directoryId, time },
  );
  return rows[0]?.sequence ?? 0;
}

async function oldestAt(db: Knex, directoryId: string, swept: number): Promise<Date | undefined> {
  const row = await db('stored_events')
    .where({ directory_id: directoryId })
    .where('sequence', '>', swept)
    .orderBy(['directory_id', 'sequence'])
    .first<{ occurred_at: Date } | undefined>('occurred_at');
  return row?.occurred_at;
}
