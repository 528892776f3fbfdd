import type { Knex } from 'knex';
import type { EventCause } from '../../directory/event.ts';
import { bytesOf, isLarge } from './write-parts/events.ts';

/**
 * Appends events with the next sequences. The row of the directory must be locked. `source` numbers them from 1, and may use `bindings`. A
 * large user or group of membership events is stored as a document.
 */
export async function appendEvents(
  trx: Knex.Transaction,
  { directoryId, reason }: { directoryId: string; reason: EventCause },
  source: string,
  bindings: Record<string, string> = {},
): Promise<void> {
  await trx.raw(
    `with source as materialized (${source}), numbered as (
       select d.last_sequence + s.place as sequence, s.*, coalesce(e.total_bytes, 0) as before
       from source s join all_directories d on d.id = :directoryId
         left join lateral (
           select total_bytes from stored_events e where e.directory_id = d.id order by e.sequence desc limit 1) e on true
     ), written as (
       insert into stored_events (directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
       select :directoryId, sequence, id, type, user_id,
         case when member is null or ${isLarge('member')} then data else member || data end
           || case when member_of is null or ${isLarge('member_of')} then '{}' else jsonb_build_object('group', member_of) end
           || jsonb_build_object('reason', cast(:reason as text)),
         case when ${isLarge('member')} then keep_event_document(:directoryId, sequence, sequence, member) end,
         case when ${isLarge('member_of')} then keep_event_document(:directoryId, sequence, sequence, member_of) end,
         size, before + sum(size) over (order by sequence), occurred_at
       from (select *, ${bytesOf('data')} + coalesce(${bytesOf('member')}, 0) + coalesce(${bytesOf('member_of')}, 0) as size from numbered) sized
       returning sequence
     )
     update all_directories d set last_sequence = greatest(d.last_sequence, (select max(sequence) from written)) where d.id = :directoryId`,
    { directoryId, reason, ...bindings },
  );
}
