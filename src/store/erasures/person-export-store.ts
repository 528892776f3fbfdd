import type { Knex } from 'knex';
import type { ExportOrder, PersonExportStore, Traces } from '../../directory/erasure/export-user.ts';
import type { EventType } from '../../directory/event.ts';
import type { ResponseMemory } from '../sql/response-memory.ts';
import type { RunRead } from '../sql/run-read.ts';
import { type Person, valueKeysOf } from '../../directory/erasure/find-person.ts';
import { concernsUser, namesUser, nextWindow, quoteId, readNames, windowBefore } from './person-events.ts';

/** Limits the bodies on a page. A page that would exceed it ends early, but has at least one body. */
const maxPageBytes = 4_194_304;
const membershipsPerPage = 500;
const deliveriesPerPage = 200;
const attemptsPerDelivery = 20;
const windowsPerTrace = 5;
const rowsPerTrace = 500;
const maxTraceBytes = 33_554_432;

interface PersonExportStoreDeps {
  runRead: RunRead;
  memory: ResponseMemory;
}

/** Each page reads a limited amount of rows and bytes, at the cost of a search. */
export function createPersonExportStore({ runRead, memory }: PersonExportStoreDeps): PersonExportStore {
  return { findTraces, listMemberships, listEvents, listDeliveries };

  /** Searches the first events, the newest deliveries and the first documents. */
  async function findTraces({ directoryId, publicId }: Person): Promise<Traces> {
    const reading = { cost: 'search', directoryId, share: 'exports', isBounded: true } as const;
    const values = new Set<string>();
    const externalIds = new Set<string>();
    let [after, found, isUnread] = [0, 0, true];
    for (let window = 0; window < windowsPerTrace && isUnread; window += 1) {
      const end = await runRead(reading, async (db) => {
        const upTo = await nextWindow(db, { directoryId, after, last: Number.MAX_SAFE_INTEGER });
        if (upTo === undefined) return undefined;
        const names = await readNames(db, { directoryId, publicId, after, end: upTo });
        found += names.events;
        for (const value of names.values) values.add(value);
        for (const id of names.externalIds) externalIds.add(id);
        return upTo;
      });
      if (end === undefined) isUnread = false;
      else after = end;
    }
    const others = await runRead(reading, async (db) => {
      const { rows } = await db.raw<{ rows: [{ is_found: boolean; is_unread: boolean }] }>(
        `with b as materialized (
           select body, sum(bytes) over (order by created_at desc, id desc) as total from (
             select * from webhook_batches where directory_id = :directoryId order by created_at desc, id desc limit :rowsPerTrace
           ) newest
         ), u as materialized (
           select data ->> 'id' as id from event_documents where directory_id = :directoryId order by directory_id, id limit :rowsPerTrace
         )
         select exists (select from b where total <= :maxTraceBytes and ${namesUser}) or exists (select from u where u.id = :publicId) as is_found,
           greatest((select count(*) from b), (select count(*) from u)) = :rowsPerTrace
             or exists (select from b where total > :maxTraceBytes) as is_unread`,
        { directoryId, publicId, quotedId: quoteId(publicId), rowsPerTrace, maxTraceBytes },
      );
      return rows[0];
    });
    const isFound = found > 0 || others.is_found;
    const isUncertain = isUnread || others.is_unread;
    return { found: isFound ? 'some' : isUncertain ? 'unread' : 'none', values: [...values], externalIds: [...externalIds] };
  }

  async function listMemberships({ directoryId, userId, ...names }: Person, after: string | undefined) {
    return read(directoryId, async (db) => {
      const { rows } = await db.raw<{
        rows: { id: string; group_id: string; name: string; display: string | null; is_pending: boolean }[];
      }>(
        `select g.id, coalesce(g.public_id, cast(g.id as text)) as group_id, g.display_name as name, m.display, m.is_pending from (
           (select group_id, display, false as is_pending from group_members
            where directory_id = :directoryId and member_id = :userId and group_id > :after order by group_id limit :limit)
           union all
           (select group_id, display, true from pending_members
            where directory_id = :directoryId and value_key = any(cast(:valueKeys as text[])) and group_id > :after order by group_id limit :limit)
         ) m join groups g on g.directory_id = :directoryId and g.id = m.group_id order by g.id limit :limit`,
        {
          directoryId,
          userId,
          valueKeys: valueKeysOf(names),
          after: after ?? '00000000-0000-0000-0000-000000000000',
          limit: membershipsPerPage,
        },
      );
      const items = rows.map((row) => ({ group: { id: row.group_id, name: row.name }, display: row.display, pending: row.is_pending }));
      return { items, next: rows.length === membershipsPerPage ? rows.at(-1)!.id : undefined };
    });
  }

  async function listEvents({ directoryId, publicId }: Person, after: number | undefined, order: ExportOrder) {
    return read(directoryId, async (db) => {
      const isNewestFirst = order === 'desc';
      const from = after ?? (isNewestFirst ? Number.MAX_SAFE_INTEGER : 0);
      const end = isNewestFirst
        ? await windowBefore(db, { directoryId, before: from })
        : await nextWindow(db, { directoryId, after: from, last: Number.MAX_SAFE_INTEGER });
      if (end === undefined) return { items: [], next: undefined };
      const within = isNewestFirst ? 'e.sequence < :from and e.sequence >= :end' : 'e.sequence > :from and e.sequence <= :end';
      const { rows } = await db.raw<{
        rows: { sequence: number; id: string; type: EventType; data: Record<string, unknown>; occurred_at: Date; is_cut: boolean }[];
      }>(
        `with own as materialized (
           select sequence, sum(size) over (order by sequence ${order}) - size as before from (
             select e.sequence, coalesce(e.bytes, octet_length(cast(e.data as text))) as size from stored_events e
             where e.directory_id = :directoryId and ${within} and ${concernsUser}
           ) found
         )
         select e.sequence, e.id, e.type, e.data, e.occurred_at, (select max(before) from own) >= :maxPageBytes as is_cut
         from own cross join lateral (select * from events where directory_id = :directoryId and sequence = own.sequence offset 0) e
         where own.before < :maxPageBytes order by e.sequence ${order}`,
        { directoryId, publicId, from, end, maxPageBytes },
      );
      const items = rows.map(({ sequence, id, type, data, occurred_at: occurredAt }) => ({ sequence, id, type, data, occurredAt }));
      return { items, next: rows[0]?.is_cut ? rows.at(-1)!.sequence : end };
    });
  }

  async function listDeliveries({ directoryId, publicId }: Person, after: { at: number; id: string } | undefined, order: ExportOrder) {
    return read(directoryId, async (db) => {
      const isAfter = order === 'desc' ? '<' : '>';
      const from = after ?? { at: order === 'desc' ? Number.MAX_SAFE_INTEGER : 0, id: '' };
      const { rows } = await db.raw<{ rows: DeliveryRow[] }>(
        `with page as materialized (
           select b.id, b.created_at, sum(case when b.body is null then 0 else b.bytes end) over (order by b.created_at ${order}, b.id ${order}) as total,
             row_number() over (order by b.created_at ${order}, b.id ${order}) as place
           from (
             select id, created_at, body, bytes from webhook_batches
             where directory_id = :directoryId and (created_at, id) ${isAfter} (timestamptz 'epoch' + :at * interval '1 microsecond', :id)
             order by created_at ${order}, id ${order} limit :deliveriesPerPage
           ) b
         ), chosen as materialized (
           select id, created_at, place from page where total <= :maxPageBytes or place = 1
         )
         select chosen.id, b.status, b.body, b.created_at, b.done_at, b.body is null as is_other,
           cast(extract(epoch from chosen.created_at) * 1000000 as bigint) as at, a.attempts
         from chosen
           left join webhook_batches b on b.directory_id = :directoryId and b.id = chosen.id and ${namesUser}
           left join lateral (
             select json_agg(json_build_object('number', number, 'at', started_at, 'outcome', outcome, 'status', status_code,
               'response', left(response_body, 16384)) order by number) as attempts
             from (select * from webhook_attempts where directory_id = :directoryId and batch_id = b.id order by number desc
               limit :attemptsPerDelivery) newest
           ) a on true
         order by chosen.created_at ${order}, chosen.id ${order}`,
        { directoryId, quotedId: quoteId(publicId), ...from, deliveriesPerPage, attemptsPerDelivery, maxPageBytes },
      );
      const last = rows.at(-1);
      const items = rows.flatMap((row) => (row.is_other ? [] : [toDelivery(row)]));
      return { items, next: last && { at: last.at, id: last.id } };
    });
  }

  function read<Found extends { items: object[] }>(directoryId: string, load: (db: Knex) => Promise<Found>): Promise<Found> {
    return memory.read(
      directoryId,
      2 * maxPageBytes,
      () => runRead({ cost: 'search', directoryId, share: 'exports', isBounded: true }, load),
      ({ items }) => items.reduce((sum, item) => sum + 1_024 + 2 * JSON.stringify(item).length, 0),
    );
  }
}

interface DeliveryRow {
  id: string;
  status: string;
  body: string;
  created_at: Date;
  done_at: Date | null;
  /** Whether the delivery does not name the person. */
  is_other: boolean;
  at: number;
  attempts: { number: number; at: string; outcome: string; status: number | null; response: string | null }[] | null;
}

const toDelivery = ({ id, status, body, created_at: createdAt, done_at: doneAt, attempts }: DeliveryRow) => ({
  id,
  status,
  body,
  createdAt,
  doneAt: doneAt ?? undefined,
  attempts: attempts ?? [],
});
