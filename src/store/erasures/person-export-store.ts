import type { Knex } from 'knex';
import type { EventPosition, ExportOrder, PersonExportStore, Traces } from '../../directory/erasure/export-user.ts';
import type { ResponseMemory } from '../sql/response-memory.ts';
import type { RunRead } from '../sql/run-read.ts';
import { type Person, valueKeysOf } from '../../directory/erasure/find-person.ts';
import { listOwnDeliveries, searchDeliveries } from './export-deliveries.ts';
import { listOwnEvents, searchEvents } from './export-events.ts';
import { maxPageBytes, namesUser, nextWindow, quoteId, readNames } from './person-events.ts';

const membershipsPerPage = 500;
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
  async function findTraces({ directoryId, userId, publicId }: Person): Promise<Traces> {
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
         select exists (select from b where total <= :maxTraceBytes and ${namesUser}) or exists (select from u where u.id = :publicId)
             or exists (select from stored_events where directory_id = :directoryId and user_id = :userId) as is_found,
           greatest((select count(*) from b), (select count(*) from u)) = :rowsPerTrace
             or exists (select from b where total > :maxTraceBytes) as is_unread`,
        { directoryId, userId, publicId, quotedId: quoteId(publicId), rowsPerTrace, maxTraceBytes },
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

  async function listEvents(person: Person, { part, number }: EventPosition, order: ExportOrder) {
    return read(person.directoryId, (db) =>
      part === 'own' ? listOwnEvents(db, person, { number }, order) : searchEvents(db, person, { number, isWhole: part === 'all' }, order),
    );
  }

  async function listDeliveries(person: Person, { part, number, id }: EventPosition, order: ExportOrder) {
    return read(person.directoryId, (db) =>
      part === 'own'
        ? listOwnDeliveries(db, person, { number, id }, order)
        : searchDeliveries(db, person, { number, id, isWhole: part === 'all' }, order),
    );
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
