import type { Attack } from './attack.ts';
import { newUser } from './scenario.ts';

/** Pushes one user and copies it in the database: the rows are as if they had been pushed, but without events. */
export async function fillUsers({ target: { db }, directory, prepare }: Attack, count: number, more: object = {}): Promise<void> {
  const { id } = await prepare('POST', '/Users', newUser('model', more));
  const bindings = { directoryId: directory.id, id, copies: count - 1 };
  await db.transaction(async (trx) => {
    await trx.raw('set local statement_timeout = 120000');
    await trx.raw(
      `insert into users
       select copy.* from users u
         cross join generate_series(1, cast(:copies as int)) n
         cross join lateral jsonb_populate_record(u,
           cast(replace(cast(to_jsonb(u) as text), 'model', 'f' || n) as jsonb) || jsonb_build_object('id', uuidv7())) copy
       where u.directory_id = :directoryId and u.id = :id`,
      bindings,
    );
    await trx.raw('update directories set user_count = user_count + :copies where id = :directoryId', bindings);
  });
}

/** The ids of some of the directory's users. */
export async function userIds({ target: { db }, directory }: Attack, limit: number): Promise<string[]> {
  return db('users').where({ directory_id: directory.id }).orderBy('id').limit(limit).pluck('id');
}
