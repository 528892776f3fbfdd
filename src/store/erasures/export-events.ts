import type { Knex } from 'knex';
import type { EventPosition, ExportOrder, ExportPart } from '../../directory/erasure/export-user.ts';
import type { Person } from '../../directory/erasure/find-person.ts';
import type { DirectoryEvent, EventType } from '../../directory/event.ts';
import { storedSize } from '../event-feed/feed-rows.ts';
import { concernsUser, hasNoUserKey, maxPageBytes, nextWindow, windowBefore } from './person-events.ts';

const eventsPerPage = 500;

type EventPage = ExportPart<DirectoryEvent, Omit<EventPosition, 'part'>>;

/** Events with the key of their user, by an index, whether their bodies are kept or not. */
export async function listOwnEvents(
  db: Knex,
  { directoryId, userId }: Person,
  position: { number?: number | undefined },
  order: ExportOrder,
): Promise<EventPage> {
  const { rows, isCut } = await readEvents(db, order, {
    condition: `e.user_id = :userId and e.sequence ${order === 'desc' ? '<' : '>'} :from order by e.sequence ${order} limit :eventsPerPage`,
    bindings: { directoryId, userId, from: startOf(position, order), eventsPerPage },
  });
  const isLast = !isCut && rows.length < eventsPerPage;
  return { items: rows.map(toEvent), next: isLast ? undefined : { number: rows.at(-1)!.sequence } };
}

/** The others, by their bodies: a window of them. `isWhole`: all of the user, by their bodies. */
export async function searchEvents(
  db: Knex,
  { directoryId, publicId }: Person,
  position: { number?: number | undefined; isWhole: boolean },
  order: ExportOrder,
): Promise<EventPage> {
  const from = startOf(position, order);
  const condition = position.isWhole ? 'true' : hasNoUserKey;
  const end =
    order === 'desc'
      ? await windowBefore(db, { directoryId, before: from, condition })
      : await nextWindow(db, { directoryId, after: from, last: Number.MAX_SAFE_INTEGER, condition });
  if (end === undefined) return { items: [], next: undefined };
  const within = order === 'desc' ? 'e.sequence < :from and e.sequence >= :end' : 'e.sequence > :from and e.sequence <= :end';
  const { rows, isCut } = await readEvents(db, order, {
    condition: `${within} and ${condition} and ${concernsUser}`,
    bindings: { directoryId, publicId, from, end },
  });
  return { items: rows.map(toEvent), next: { number: isCut ? rows.at(-1)!.sequence : end } };
}

const startOf = ({ number }: { number?: number | undefined }, order: ExportOrder) =>
  number ?? (order === 'desc' ? Number.MAX_SAFE_INTEGER : 0);

interface EventRow {
  sequence: number;
  id: string;
  type: EventType;
  data: Record<string, unknown> | null;
  occurred_at: Date;
  is_cut: boolean;
}

/** Reads the events that meet a condition. A page that would be too large ends early. */
async function readEvents(
  db: Knex,
  order: ExportOrder,
  { condition, bindings }: { condition: string; bindings: Record<string, string | number> },
): Promise<{ rows: EventRow[]; isCut: boolean }> {
  const { rows } = await db.raw<{ rows: EventRow[] }>(
    `with own as materialized (
       select sequence, sum(size) over (order by sequence ${order}) - size as before from (
         select e.sequence, ${storedSize} as size from stored_events e where e.directory_id = :directoryId and ${condition}
       ) found
     )
     select e.sequence, e.id, e.type, e.data, e.occurred_at, (select max(before) from own) >= :maxPageBytes as is_cut
     from own cross join lateral (select * from events where directory_id = :directoryId and sequence = own.sequence offset 0) e
     where own.before < :maxPageBytes order by e.sequence ${order}`,
    { ...bindings, maxPageBytes },
  );
  return { rows, isCut: rows[0]?.is_cut ?? false };
}

const toEvent = ({ sequence, id, type, data, occurred_at: occurredAt }: EventRow): DirectoryEvent => ({
  sequence,
  id,
  type,
  data,
  occurredAt,
});
