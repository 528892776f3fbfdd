import type { Knex } from 'knex';
import type { Client } from '../client.ts';
import type { BenchDirectory } from '../directories.ts';
import { createUser, makeUser } from '../users.ts';

const model = 'model';

/** The tag of the user that was filled in as the n-th, from 1 to one less than `count`. */
export const filledTag = (n: number) => `f${n}`;

/** One user is pushed, and the others are its copies: so the rows have the shape that pushing gives them, but no events. */
export async function fillUsers(db: Knex, { client, directory, count }: { client: Client; directory: BenchDirectory; count: number }) {
  const { id } = await client.fetch<{ id: string }>(createUser(directory, makeUser(model)));
  const bindings = { directoryId: directory.id, id, model, copies: count - 1 };
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `insert into users
     select copy.* from users u
       cross join generate_series(1, cast(:copies as int)) n
       cross join lateral jsonb_populate_record(u,
         cast(replace(cast(to_jsonb(u) as text), :model, 'f' || n) as jsonb) || jsonb_build_object('id', uuidv7())) copy
     where u.directory_id = :directoryId and u.id = :id`,
    bindings,
  );
  if (rowCount !== count - 1) throw new Error(`The directory has ${rowCount} copies instead of ${count - 1}.`);
  await db.raw(
    `insert into user_emails (directory_id, user_id, value_key)
     select u.directory_id, u.id, lower(e.entry ->> 'value') from users u, jsonb_array_elements(u.resource -> 'emails') e(entry)
     where u.directory_id = :directoryId on conflict do nothing`,
    bindings,
  );
  await db.raw('update directories set user_count = user_count + :copies where id = :directoryId', bindings);
  await db.raw('vacuum (analyze) directories, users, user_emails');
}
