import type { Knex } from 'knex';
import { openDatabase } from '../../src/store/database.ts';
import type { Client } from './client.ts';
import type { BenchDirectory } from './directories.ts';
import { createUser, makeUser } from './users.ts';
import type { CreatedGroup } from './groups.ts';

/** Writes to the database without going through the service. */
export async function withDatabase<Result>(url: string, fill: (db: Knex) => Promise<Result>): Promise<Result> {
  const db = openDatabase(url, { poolSize: 1, statementTimeoutMs: 0 });
  try {
    return await fill(db);
  } finally {
    await db.destroy();
  }
}

const model = 'model';

/** The tag of the n-th filled user, from 1 to `count` - 1. */
export const filledTag = (n: number) => `f${n}`;

/** Pushes one user and copies its row, so that all rows have the shape of pushed users, but no events. */
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

/** Makes the directory's first users members. */
export async function fillGroup(db: Knex, { group, count }: { group: CreatedGroup; count: number }) {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `insert into group_members (directory_id, group_id, member_id, kind)
     select directory_id, :groupId, id, 'user' from users where directory_id = :directoryId order by id limit :count`,
    { groupId: group.id, directoryId: group.directory.id, count },
  );
  if (rowCount !== count) throw new Error(`The group has ${rowCount} members instead of ${count}.`);
  await db.raw('vacuum (analyze) group_members');
}

export interface Model {
  kind: 'users' | 'members';
  /** A field whose value identifies the one pushed entry. */
  field: 'id' | 'group_id';
  value: string;
}

/**
 * Polis stores everything as text under a digest, and digests under the keys of an index. The copies get their own digests and share the
 * index keys of the model.
 */
export async function copyPolisRows(db: Knex, { kind, field, value }: Model, count: number) {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `with model as materialized (
       select s.* from jackson_store s
       where s.namespace like cast(:namespace as text) and cast(s.value as jsonb) ->> cast(:field as text) = :value
     ), copies as (
       insert into jackson_store
       select copy.* from model
         cross join generate_series(2, cast(:count as int)) n
         cross join lateral jsonb_populate_record(cast(model as jackson_store),
           jsonb_build_object('key', model.namespace || ':' || left(encode(sha256(convert_to(:value || n, 'UTF8')), 'hex'), 40))) copy
       returning key
     ), found as (
       insert into jackson_index (key, "storeKey")
       select i.key, copies.key from copies, model join jackson_index i on i."storeKey" = model.key
     )
     select from copies`,
    { namespace: `dsync:${kind}:%`, field, value, count },
  );
  if (rowCount !== count - 1) throw new Error(`Polis has ${rowCount} copies instead of ${count - 1}.`);
  await db.raw('vacuum (analyze) jackson_store, jackson_index');
}
