import type { Knex } from 'knex';
import type { ExportedDelivery, ExportOrder, ExportPart } from '../../directory/erasure/export-user.ts';
import type { Person } from '../../directory/erasure/find-person.ts';
import { maxPageBytes, namesUser, quoteId } from './person-events.ts';

/** Of a search: deliveries with a body, and all deliveries. */
const [bodiesPerPage, searchedPerPage] = [200, 2_000];
const deliveriesPerPage = 200;
const eventsPerPage = 50;
const attemptsPerDelivery = 20;
/** Deliveries that begin at an event or shortly before it, and may contain it. */
const nearby = 200;

interface DeliveryPosition {
  number?: number | undefined;
  id?: string | undefined;
}

type DeliveryPage = ExportPart<ExportedDelivery, DeliveryPosition>;

/** SQL: whether the delivery `b` of the given sequences has all of their events, which a replay of kept bodies need not. */
const isComplete = `(b.kind = 'live' or b.event_count = b.to_sequence - b.from_sequence + 1)`;

/**
 * Deliveries of the events that have the key of the user, whether their bodies are kept or not. The position is the sequence of an event, and the
 * last of its deliveries. A delivery with several of the events belongs to the first of them in the order.
 */
export async function listOwnDeliveries(
  db: Knex,
  { directoryId, userId }: Person,
  position: DeliveryPosition,
  order: ExportOrder,
): Promise<DeliveryPage> {
  const isNewestFirst = order === 'desc';
  const from = position.number ?? (isNewestFirst ? Number.MAX_SAFE_INTEGER : 0);
  const columns = 'b.id, b.created_at, b.kind, b.event_count, b.from_sequence, b.to_sequence, b.body is null as has_no_body, b.bytes';
  const before = 'b.directory_id = :directoryId and b.endpoint_id = p.id and b.from_sequence <= own.sequence';
  const { rows } = await db.raw<{ rows: (DeliveryRow & { sequence: number; is_cut: boolean; last_event: number | null })[] }>(
    `with own as materialized (
       select e.sequence from stored_events e
       where e.directory_id = :directoryId and e.user_id = :userId and e.sequence ${isNewestFirst ? '<=' : '>='} :from
       order by e.sequence ${order} limit :eventsPerPage
     ), carrying as materialized (
       select own.sequence, b.id, row_number() over (order by own.sequence ${order}, b.id) as place,
         sum(case when b.has_no_body then 0 else b.bytes end + ${weightOfAttempts}) over (order by own.sequence ${order}, b.id) as total
       from own join webhook_endpoints p on p.directory_id = :directoryId cross join lateral (
         (select ${columns} from webhook_batches b where ${before} order by b.from_sequence desc, b.id desc limit :nearby)
         union
         (select ${columns} from webhook_batches b where ${before} and b.status = 'skipped' order by b.from_sequence desc limit 1)
       ) b
       where b.to_sequence >= own.sequence and ${isComplete} and (own.sequence <> :from or b.id > :id)
         and not exists (
           select from stored_events e where e.directory_id = :directoryId and e.user_id = :userId
             and ${isNewestFirst ? 'e.sequence > own.sequence and e.sequence <= b.to_sequence' : 'e.sequence < own.sequence and e.sequence >= b.from_sequence'})
     ), chosen as materialized (
       select * from carrying where place <= :deliveriesPerPage and (total <= :maxPageBytes or place = 1)
     ), counted as (
       select count(*) = :eventsPerPage as has_more, ${isNewestFirst ? 'min' : 'max'}(sequence) as last_event,
         (select count(*) from carrying) > (select count(*) from chosen) as is_cut from own
     )
     select counted.is_cut, case when counted.has_more then counted.last_event end as last_event, chosen.sequence, ${shown}
     from counted left join chosen on true
       left join webhook_batches b on b.directory_id = :directoryId and b.id = chosen.id ${withAttempts}
     order by chosen.place`,
    { directoryId, userId, from, id: position.id ?? '', eventsPerPage, deliveriesPerPage, attemptsPerDelivery, nearby, maxPageBytes },
  );
  const { is_cut: isCut, last_event: lastEvent } = rows[0]!;
  const last = rows.at(-1)!;
  const items = rows.flatMap((row) => (row.id === null ? [] : [toDelivery(row)]));
  if (isCut) return { items, next: { number: last.sequence, id: last.id! } };
  return { items, next: lastEvent === null ? undefined : { number: lastEvent + (isNewestFirst ? -1 : 1), id: '' } };
}

/** The others, by their bodies: some of all deliveries of the directory. `isWhole`: all that name the user. The position is a time in microseconds, and the ID of a delivery. */
export async function searchDeliveries(
  db: Knex,
  { directoryId, userId, publicId }: Person,
  position: DeliveryPosition & { isWhole: boolean },
  order: ExportOrder,
): Promise<DeliveryPage> {
  const { isWhole } = position;
  const from = { at: position.number ?? (order === 'desc' ? Number.MAX_SAFE_INTEGER : 0), id: position.id ?? '' };
  const { rows } = await db.raw<{ rows: (DeliveryRow & { at: number | null; last_id: string | null })[] }>(
    `with page as materialized (
       select b.id, b.created_at, row_number() over place as place,
         sum(case when b.body is null then 0 else b.bytes end + ${weightOfAttempts}) over place as total, count(b.body) over place as bodies
       from (
         select id, created_at, body, bytes from webhook_batches
         where directory_id = :directoryId and (created_at, id) ${order === 'desc' ? '<' : '>'} (timestamptz 'epoch' + :at * interval '1 microsecond', :id)
         order by created_at ${order}, id ${order} limit :searchedPerPage
       ) b window place as (order by b.created_at ${order}, b.id ${order})
     ), chosen as materialized (
       select id, created_at, place from page where (total <= :maxPageBytes and bodies <= :bodiesPerPage) or place = 1
     ), last as (
       select id as last_id, cast(extract(epoch from created_at) * 1000000 as bigint) as at from chosen order by place desc limit 1
     ), found as (
       select chosen.place, b.id from chosen join webhook_batches b on b.directory_id = :directoryId and b.id = chosen.id
       where ${namesUser} and ${
         isWhole
           ? 'true'
           : `not exists (
         select from stored_events e where e.directory_id = :directoryId and e.user_id = :userId
           and e.sequence between b.from_sequence and b.to_sequence and ${isComplete}
           and (select count(*) from (
             select from webhook_batches n where n.directory_id = :directoryId and n.endpoint_id = b.endpoint_id
               and (n.from_sequence, n.id) > (b.from_sequence, b.id) and n.from_sequence <= e.sequence limit :nearby
           ) nearer) < :nearby)`
       }
     )
     select last.at, last.last_id, ${shown}
     from last left join found on true
       left join webhook_batches b on b.directory_id = :directoryId and b.id = found.id ${withAttempts}
     order by found.place`,
    {
      directoryId,
      userId,
      quotedId: quoteId(publicId),
      ...from,
      bodiesPerPage,
      searchedPerPage,
      attemptsPerDelivery,
      nearby,
      maxPageBytes,
    },
  );
  const [row] = rows;
  const items = rows.flatMap((one) => (one.id === null ? [] : [toDelivery(one)]));
  return { items, next: row && { number: row.at!, id: row.last_id! } };
}

const shown = 'b.id, b.status, b.from_sequence, b.to_sequence, b.event_count, b.body, b.created_at, b.done_at, a.attempts';

/** SQL for the size of the attempts of the delivery `b` that are shown, as JSON, which may write a character with six. */
const weightOfAttempts = `coalesce((
           select sum(1024 + 6 * least(coalesce(octet_length(response_body), 0), 16384)) from (
             select response_body from webhook_attempts where directory_id = :directoryId and batch_id = b.id order by number desc
             limit :attemptsPerDelivery
           ) newest), 0)`;

const withAttempts = `left join lateral (
         select json_agg(json_build_object('number', number, 'at', started_at, 'outcome', outcome, 'status', status_code,
           'response', left(response_body, 16384)) order by number) as attempts
         from (select * from webhook_attempts where directory_id = :directoryId and batch_id = b.id order by number desc
           limit :attemptsPerDelivery) newest
       ) a on true`;

interface DeliveryRow {
  /** Null: nothing was found. */
  id: string | null;
  status: string;
  from_sequence: number;
  to_sequence: number;
  event_count: number;
  body: string | null;
  created_at: Date;
  done_at: Date | null;
  attempts: ExportedDelivery['attempts'] | null;
}

const toDelivery = (row: DeliveryRow): ExportedDelivery => ({
  id: row.id!,
  status: row.status,
  fromSequence: row.from_sequence,
  toSequence: row.to_sequence,
  eventCount: row.event_count,
  body: row.body ?? undefined,
  createdAt: row.created_at,
  doneAt: row.done_at ?? undefined,
  attempts: row.attempts ?? [],
});
