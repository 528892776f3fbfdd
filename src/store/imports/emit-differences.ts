import type { Knex } from 'knex';
import { rawOf } from '../resources/pushed-column.ts';
import { appendEvents } from '../changes/append-events.ts';
import { groupProfile, userProfile } from '../changes/write-parts/events.ts';

/** Emits the events of `import_changes`, in the order in which single changes would emit them. */
export async function emitDifferences(trx: Knex.Transaction, directoryId: string, part: 'removed' | 'written'): Promise<void> {
  const resources = (kind: 'users' | 'groups', order: number) =>
    `select ${order} as section, c.place, '${kind === 'users' ? 'user' : 'group'}.' || c.operation as type,
       ${kind === 'users' ? 'r.id' : 'cast(null as uuid)'} as user_id,
       ${kind === 'users' ? userProfile('r', 'pushed.raw') : groupProfile('r')} as data, cast(null as jsonb) as member, cast(null as jsonb) as member_of
     from import_changes c join ${kind} r on r.directory_id = :directoryId and r.id = c.id ${kind === 'users' ? withRaw('r') : ''}
     where c.kind = '${kind}' and c.operation in (${part === 'removed' ? `'deleted'` : `'created', 'updated'`})`;
  // Members that are groups have no events.
  const memberships = (order: number) =>
    `select ${order}, c.place, '${part === 'removed' ? 'group.user_removed' : 'group.user_added'}', u.id, cast('{}' as jsonb),
       ${userProfile('u', 'pushed.raw')}, ${groupProfile('g')}
     from import_changes c
       join groups g on g.directory_id = :directoryId and g.id = c.group_id
       join users u on u.directory_id = :directoryId and u.id = c.id ${withRaw('u')}
     where c.kind = 'memberships' and c.operation = '${part === 'removed' ? 'deleted' : 'created'}'`;
  const parts =
    part === 'removed'
      ? [resources('groups', 2), resources('users', 3), memberships(1)]
      : [resources('users', 1), resources('groups', 2), memberships(3)];
  await appendEvents(
    trx,
    { directoryId, reason: 'import' },
    `select row_number() over (order by section, place) as place, gen_random_uuid() as id, type, user_id, data, member, member_of, now() as occurred_at
     from (${parts.join(' union all ')}) differences`,
  );
}

const withRaw = (row: string) => `cross join lateral (select ${rawOf(row)} as raw offset 0) pushed`;

/**
 * Emits events that Polis had not delivered, with their IDs, before all other events of the
 * directory. Returns how many, and the time of the last.
 */
export async function emitQueued(
  trx: Knex.Transaction,
  directoryId: string,
  after: Date | null,
): Promise<{ count: number; last: Date | null }> {
  const { rows } = await trx.raw<{ rows: [{ count: number; last: Date | null }] }>(
    `with dropped as (delete from import_queued where occurred_at <= cast(:after as timestamptz))
     select count(*) as count, max(occurred_at) as last from import_queued where occurred_at > cast(:after as timestamptz) is not false`,
    { after },
  );
  const [{ count, last }] = rows;
  if (count > 0)
    await appendEvents(
      trx,
      { directoryId, reason: 'import' },
      `select row_number() over (order by place) as place, id, type, user_id, data, cast(null as jsonb) as member, cast(null as jsonb) as member_of, occurred_at
       from import_queued`,
    );
  return { count, last };
}
