import type { Knex } from 'knex';
import type { DirectoryTransaction, UserStore } from '../directory/ports.ts';
import type { User } from '../directory/user.ts';
import { prepared } from './prepared.ts';
import type { JsonObject } from '../scim/json.ts';
import { foldCase } from '../scim/text.ts';

interface UserRow {
  directory_id: string;
  id: string;
  user_name: string;
  external_id: string | null;
  active: boolean;
  resource: JsonObject;
  version: number;
  created_at: Date;
  updated_at: Date;
}

const toUser = (row: UserRow): User => ({
  id: row.id,
  userName: row.user_name,
  externalId: row.external_id ?? undefined,
  active: row.active,
  resource: row.resource,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export function createUserStore(db: Knex): UserStore {
  return {
    async get(directoryId, id) {
      const row = await db<UserRow>('users').where({ directory_id: directoryId, id }).first();
      return row && toUser(row);
    },
    async list(directoryId, { userName, offset, limit }) {
      const matching = db('users').where({ directory_id: directoryId });
      if (userName !== undefined) void matching.where({ user_name_key: foldCase(userName) });
      const page = matching.clone().orderBy('id').offset(offset).limit(limit);
      const [counted, rows] = await Promise.all([
        matching.clone().count<{ count: number }[]>('* as count'),
        limit === 0 ? [] : withinBytes(db, page),
      ]);
      return { total: counted[0]!.count, users: rows.map(toUser) };
    },
  };
}

const maxPageBytes = 8_388_608;

/** A page ends early rather than fill the memory; it has one row at least. */
function withinBytes(db: Knex, page: Knex.QueryBuilder): Promise<UserRow[]> {
  const bytesBefore = 'coalesce(sum(octet_length(resource::text)) over (order by id rows between unbounded preceding and 1 preceding), 0)';
  const measured = db.from(page.select('*').as('page')).select('*', db.raw(`${bytesBefore} as bytes_before`));
  return db.from(measured.as('measured')).where('bytes_before', '<', maxPageBytes).orderBy('id').select('*');
}

export async function insertUsers(
  trx: Knex.Transaction,
  { directoryId, users, now }: { directoryId: string; users: Parameters<DirectoryTransaction['insertUsers']>[0]; now: Date },
): Promise<Set<string>> {
  const rows = users.map((user) => ({ ...user, key: foldCase(user.userName) }));
  const { rows: inserted } = await trx
    .raw<{ rows: { id: string }[] }>(
      `insert into users (directory_id, id, user_name, user_name_key, external_id, active, resource, created_at, updated_at)
     select cast(:directoryId as uuid), u.id, u."userName", u.key, u."externalId", u.active, u.resource, cast(:now as timestamptz), cast(:now as timestamptz)
     from jsonb_to_recordset(cast(:users as jsonb))
       as u(id uuid, "userName" text, key text, "externalId" text, active boolean, resource jsonb)
     on conflict (directory_id, user_name_key) do nothing
     returning id`,
      { directoryId, users: JSON.stringify(rows), now },
    )
    .options(prepared('insert-users'));
  return new Set(inserted.map(({ id }) => id));
}

export async function deleteUsers(trx: Knex.Transaction, { directoryId, ids }: { directoryId: string; ids: string[] }): Promise<User[]> {
  const rows = await trx<UserRow>('users').where({ directory_id: directoryId }).whereIn('id', ids).delete('*');
  return rows.map(toUser);
}
