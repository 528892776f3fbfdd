import type { Knex } from 'knex';
import { newId } from '../../src/ids.ts';

/** Inserts a user and its groups, with display names of this length, in Postgres. */
export async function storeUserInGroups(
  db: Knex,
  directoryId: string,
  { userId, groups, nameLength = 500, letter = 'n' }: { userId: string; groups: number; nameLength?: number; letter?: string },
): Promise<void> {
  await db.raw(
    `with made as (
       insert into groups (directory_id, id, display_name, display_name_key, namesake, resource, created_at, updated_at, member_count)
       select cast(:directoryId as uuid), uuidv7(), name, name, '',
         jsonb_build_object('schemas', jsonb_build_array('urn:ietf:params:scim:schemas:core:2.0:Group'), 'displayName', name), now(), now(), 1
       from generate_series(1, cast(:groups as int)) n
         cross join lateral (select rpad(cast(:userId as text) || ' ' || n || ' ', cast(:nameLength as int), :letter) as name) named
       returning id
     )
     insert into group_members (directory_id, group_id, member_id, kind) select cast(:directoryId as uuid), id, :userId, 'user' from made`,
    { directoryId, userId, groups, nameLength, letter },
  );
  await db.raw(
    'update directories set group_count = group_count + :groups, membership_count = membership_count + :groups where id = :directoryId',
    {
      directoryId,
      groups,
    },
  );
  await db.raw('analyze groups, group_members');
}

/** Adds all users of a directory to a group, each under this name. */
export async function addAllUsers(db: Knex, directoryId: string, groupId: string, display: string | null = null): Promise<void> {
  const bindings = { directoryId, groupId };
  await db.raw(
    `insert into group_members (directory_id, group_id, member_id, kind, display)
     select directory_id, cast(:groupId as uuid), id, 'user', :display from users where directory_id = cast(:directoryId as uuid)`,
    { ...bindings, display },
  );
  await db.raw(
    `update groups set member_count = (select user_count from directories where id = :directoryId)
     where directory_id = cast(:directoryId as uuid) and id = cast(:groupId as uuid)`,
    bindings,
  );
  await db.raw('update directories set membership_count = membership_count + user_count where id = :directoryId', bindings);
  await db.raw('analyze group_members');
}

/** Inserts a group with members that are not users of the directory: `member 1`, `member 2`. */
export async function storeGroup(db: Knex, directoryId: string, members: number): Promise<string> {
  const id = newId();
  const resource = { schemas: [], displayName: id };
  const name = { display_name: id, display_name_key: id };
  const times = { created_at: new Date(), updated_at: new Date() };
  await db('groups').insert({ directory_id: directoryId, id, ...name, resource, ...times });
  await db.raw(
    `insert into group_members (directory_id, group_id, member_id, kind, display)
     select ?, ?, gen_random_uuid(), 'user', 'member ' || n from generate_series(1, ?::int) as n`,
    [directoryId, id, members],
  );
  return id;
}
