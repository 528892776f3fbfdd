import type { Writes } from '../../../directory/changes/snapshot.ts';
import type { StatementPart } from '../../sql/statement-parts.ts';
import { rowsPart } from './resources.ts';

/** The recomputation has no users of its own: it takes those that are noted, and ends. */
const afterAllUsers = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * SQL that makes a recomputation of these directories exist. One that has not ended takes the noted users too. If all users are concerned, a new
 * one replaces it: its batch in progress must not move where the new one stands.
 */
export const beginRecompute = (directories: string, { everyone = 'false' }: { everyone?: string } = {}): string => `
  insert into attribute_recomputes as r (directory_id, id, after)
    select id, gen_random_uuid(), case when ${everyone} then null else cast('${afterAllUsers}' as uuid) end from (${directories}) concerned
  on conflict (directory_id) do update set id = excluded.id, after = excluded.after, done = 0, requested_at = excluded.requested_at,
    progressed_at = excluded.progressed_at, finished_at = null
  where r.finished_at is not null or excluded.after is null
  returning r.directory_id, r.id`;

/** The name of the part that begins a recomputation: the statement returns which. */
export const beginsRecompute = 'usersToRecompute';

/**
 * Notes the users whose roles may change. Members are selected as they were before this
 * statement: whoever was added or removed is among `users`.
 */
export const recomputeParts = ({ toRecompute, recomputed }: Pick<Writes, 'toRecompute' | 'recomputed'>): StatementPart[] => [
  rowsPart(
    'usersRecomputed',
    `users_recomputed as (
      delete from users_to_recompute r using held
      where r.directory_id = held.id and r.user_id = any(cast(:usersRecomputedIds as uuid[])))`,
    recomputed,
    { usersRecomputedIds: recomputed },
  ),
  {
    name: beginsRecompute,
    sql: `users_to_compute as (
      insert into users_to_recompute (directory_id, user_id)
      select held.id, noted.id from held, lateral (
        select cast(value as uuid) as id from jsonb_array_elements_text(cast(:usersToRecompute as jsonb))
        union
        select m.member_id from jsonb_array_elements_text(cast(:membersToRecompute as jsonb)) renamed(id)
          join group_members m on m.directory_id = held.id and m.group_id = cast(renamed.id as uuid) and m.kind = 'user'
      ) noted
      on conflict do nothing
    ), recompute_begun as (${beginRecompute(
      `select held.id, jsonb_array_length(cast(:recomputesEveryone as jsonb)) > 0 as everyone from held
       where jsonb_array_length(cast(:usersToRecompute as jsonb)) + jsonb_array_length(cast(:membersToRecompute as jsonb))
         + jsonb_array_length(cast(:recomputesEveryone as jsonb)) > 0`,
      { everyone: 'concerned.everyone' },
    )})`,
    json: {
      usersToRecompute: toRecompute.users,
      membersToRecompute: toRecompute.membersOf,
      recomputesEveryone: toRecompute.everyone ? [true] : [],
    },
  },
];
