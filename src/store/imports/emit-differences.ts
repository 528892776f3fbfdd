import type { Knex } from 'knex';
import type { QueuedEvent } from '../../directory/import/ports.ts';
import { rawOf } from '../resources/pushed-column.ts';
import { bytesOf, groupProfile, isLarge, userProfile } from '../changes/write-parts/events.ts';

/** Events of what `import_changes` has, in the order in which single changes would emit them. */
export async function emitDifferences(trx: Knex.Transaction, directoryId: string, part: 'removed' | 'written'): Promise<void> {
  const resources = (kind: 'users' | 'groups', order: number) =>
    `select ${order} as section, c.place, '${kind === 'users' ? 'user' : 'group'}.' || c.operation as type,
       ${kind === 'users' ? userProfile('r', 'pushed.raw') : groupProfile('r')} as data, cast(null as jsonb) as member
     from import_changes c join ${kind} r on r.directory_id = :directoryId and r.id = c.id ${kind === 'users' ? withRaw('r') : ''}
     where c.kind = '${kind}' and c.operation in (${part === 'removed' ? `'deleted'` : `'created', 'updated'`})`;
  // Members that are groups have no events.
  const memberships = (order: number) =>
    `select ${order}, c.place, '${part === 'removed' ? 'group.user_removed' : 'group.user_added'}', jsonb_build_object('group', ${groupProfile('g')}),
       ${userProfile('u', 'pushed.raw')}
     from import_changes c
       join groups g on g.directory_id = :directoryId and g.id = c.group_id
       join users u on u.directory_id = :directoryId and u.id = c.id ${withRaw('u')}
     where c.kind = 'memberships' and c.operation = '${part === 'removed' ? 'deleted' : 'created'}'`;
  const parts =
    part === 'removed'
      ? [resources('groups', 2), resources('users', 3), memberships(1)]
      : [resources('users', 1), resources('groups', 2), memberships(3)];
  await emit(
    trx,
    directoryId,
    `select row_number() over (order by section, place) as place, gen_random_uuid() as id, type, data, member, now() as occurred_at
     from (${parts.join(' union all ')}) differences`,
  );
}

const withRaw = (row: string) => `cross join lateral (select ${rawOf(row)} as raw offset 0) pushed`;

/** Events that Polis did not deliver, with their IDs. They come before everything else of the directory. */
export async function emitQueued(trx: Knex.Transaction, directoryId: string, queued: QueuedEvent[]): Promise<void> {
  for (let from = 0; from < queued.length; from += rowsPerStatement)
    await emit(
      trx,
      directoryId,
      `select place, id, type, data, cast(null as jsonb) as member, occurred_at
       from jsonb_to_recordset(cast(:queued as jsonb)) as q(place bigint, id uuid, type text, data jsonb, occurred_at timestamptz)`,
      {
        queued: JSON.stringify(
          queued
            .slice(from, from + rowsPerStatement)
            .map(({ id, type, data, occurredAt }, index) => ({ place: index + 1, id, type, data, occurred_at: occurredAt })),
        ),
      },
    );
}
const rowsPerStatement = 1_000;

/** Appends events with the next sequences. `source` numbers them from 1. A large user of a membership event is stored once for all of them. */
async function emit(trx: Knex.Transaction, directoryId: string, source: string, bindings: Record<string, string> = {}): Promise<void> {
  await trx.raw(
    `with source as materialized (${source}), numbered as (
       select d.last_sequence + s.place as sequence, s.*, coalesce(e.total_bytes, 0) as before
       from source s join all_directories d on d.id = :directoryId
         left join lateral (
           select total_bytes from stored_events e where e.directory_id = d.id order by e.sequence desc limit 1) e on true
     ), written as (
       insert into stored_events (directory_id, sequence, id, type, data, user_document, bytes, total_bytes, occurred_at)
       select :directoryId, sequence, id, type,
         case when member is null or ${isLarge('member')} then data else member || data end,
         case when ${isLarge('member')} then keep_event_document(:directoryId, sequence, sequence, member) end,
         size, before + sum(size) over (order by sequence), occurred_at
       from (select *, ${bytesOf('data')} + coalesce(${bytesOf('member')}, 0) as size from numbered) sized
       returning sequence
     )
     update all_directories d set last_sequence = greatest(d.last_sequence, (select max(sequence) from written)) where d.id = :directoryId`,
    { directoryId, ...bindings },
  );
}
