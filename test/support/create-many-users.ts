import type { Knex } from 'knex';

/**
 * Inserts many users of a directory in Postgres: `user1`, `user2`, with the title and the nickname `name <n>`.
 * Their keys are as from elsewhere, or Rollcall's own.
 */
export async function createManyUsers(
  db: Knex,
  directoryId: string,
  count: number,
  { hasOwnKeys = false }: { hasOwnKeys?: boolean } = {},
): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('set local statement_timeout = 120000');
    await trx.raw(
      `insert into users (directory_id, id, user_name, user_name_key, external_id, display_name_key, active, first_name, last_name, email,
         resource, created_at, updated_at)
       select cast(:directoryId as uuid), ${hasOwnKeys ? 'uuidv7()' : 'gen_random_uuid()'}, 'user' || n, 'user' || n, 'E' || n, 'name ' || n, true, '', '', '',
         jsonb_build_object('userName', 'user' || n, 'displayName', 'Name ' || n, 'title', 'name ' || n, 'nickName', 'name ' || n,
           'emails', jsonb_build_array(jsonb_build_object('type', 'work', 'value', 'User' || n || '@example.com'))), now(), now()
       from generate_series(1, cast(:count as integer)) n`,
      { directoryId, count },
    );
    await trx.raw(
      `insert into user_emails (directory_id, user_id, value_key)
       select directory_id, id, user_name_key || '@example.com' from users where directory_id = cast(:directoryId as uuid)`,
      { directoryId },
    );
  });
  await db('directories').where({ id: directoryId }).update({ user_count: count });
  await db.raw('analyze users');
}
