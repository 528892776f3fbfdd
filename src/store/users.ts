import type { Knex } from 'knex';
import type { UserStore, UserWithGroups } from '../directory/ports.ts';
import { toUserProfile, type User } from '../directory/user.ts';
import { isObject, type JsonObject } from '../scim/json.ts';
import { foldCase } from '../scim/text.ts';
import { groupBy } from './group-by.ts';
import { listRows, userListing, type Keyed } from './list-rows.ts';
import { endEarly } from './list-rows-related.ts';
import { prepared } from './prepared.ts';
import { shareQueries } from './share-queries.ts';
import { listRowsAcross } from './list-rows-across.ts';

export interface UserRow {
  directory_id: string;
  id: string;
  user_name: string;
  external_id: string | null;
  active: boolean;
  resource: JsonObject;
  version: number;
  created_at: Date | string;
  updated_at: Date | string;
}

export const toUser = (row: UserRow): User => ({
  id: row.id,
  userName: row.user_name,
  externalId: row.external_id ?? undefined,
  active: row.active,
  resource: row.resource,
  version: row.version,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
});

/** Names are kept beside the resource, so that an event about a member can be written without reading it. */
export function toUserColumns(user: User) {
  const { first_name, last_name, email } = toUserProfile(user);
  const { displayName, emails } = user.resource;
  return {
    id: user.id,
    user_name: user.userName,
    user_name_key: foldCase(user.userName),
    external_id: user.externalId ?? null,
    display_name_key: typeof displayName === 'string' ? foldCase(displayName) : null,
    active: user.active,
    first_name,
    last_name,
    email,
    email_keys: emailKeys(emails),
    resource: user.resource,
    version: user.version,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  };
}

function emailKeys(emails: unknown): string[] {
  const values = (Array.isArray(emails) ? emails : []).map((email) => (isObject(email) ? email['value'] : email));
  return [...new Set(values.filter((value) => typeof value === 'string').map(foldCase))];
}

export function createUserStore(db: Knex): UserStore {
  // Writers that are answered together read what they wrote together.
  const getWithGroups = shareQueries((keys) => readWithGroups(db, keys));
  return {
    async find(directoryIds, id) {
      const row = await db<UserRow>('users').whereRaw('directory_id = any(?)', [directoryIds]).where({ id }).first();
      return row && toUser(row);
    },
    async listAcross(directoryIds, page) {
      const { resources, isCut } = await listRowsAcross<UserRow>(db, 'users', directoryIds, page);
      return { resources: resources.map(toUser), isCut };
    },
    async get(directoryId, id, { withGroups = false } = {}) {
      if (withGroups) return getWithGroups(`${directoryId}/${id}`);
      const row = await db<UserRow>('users').where({ directory_id: directoryId, id }).first();
      return row && toUser(row);
    },
    async list(directoryId, { withGroups = false, ...query }) {
      const found = await listRows<UserRow & Keyed>(db, userListing, directoryId, query);
      if (!withGroups) return { ...found, resources: found.resources.map(toUser) };
      const page = endEarly(found, await countGroups(db, directoryId, found.resources), query.sort);
      const groups = await groupsOf(db, directoryId, page.resources);
      return { ...page, resources: page.resources.map((row) => ({ ...toUser(row), groups: groups.get(row.id) ?? [] })) };
    },
  };
}

interface MembershipRow {
  member_id: string;
  id: string;
  displayName: string;
}

/** In the order of their creation. */
async function groupsOf(db: Knex, directoryId: string, users: { id: string }[]): Promise<Map<string, MembershipRow[]>> {
  if (users.length === 0) return new Map();
  const rows = await db('group_members as m')
    .join('groups as g', (on) => on.on('g.directory_id', 'm.directory_id').on('g.id', 'm.group_id'))
    .where({ 'm.directory_id': directoryId })
    .whereIn(
      'm.member_id',
      users.map(({ id }) => id),
    )
    .orderBy('g.id')
    .select<MembershipRow[]>('m.member_id', 'g.id', 'g.display_name as displayName');
  return groupBy(rows, ({ member_id: memberId }) => memberId);
}

/** One user is read whole, in however many groups it is: they need not be counted. */
async function countGroups(db: Knex, directoryId: string, users: { id: string }[]): Promise<Map<string, number>> {
  if (users.length < 2) return new Map();
  const { rows } = await db.raw<{ rows: { member_id: string; groups: number }[] }>(
    `select member_id, count(*) as groups from group_members
     where directory_id = :directoryId and member_id = any(cast(:userIds as uuid[])) group by member_id`,
    { directoryId, userIds: users.map(({ id }) => id) },
  );
  return new Map(rows.map((row) => [row.member_id, row.groups]));
}

/** Each key is a directory and a user of it. */
async function readWithGroups(db: Knex, keys: string[]): Promise<Map<string, UserWithGroups>> {
  const pairs = keys.map((key) => key.split('/'));
  const { rows } = await db
    .raw<{ rows: (UserRow & { groups: { id: string; displayName: string }[] | null })[] }>(
      `select u.*, (
         select jsonb_agg(jsonb_build_object('id', g.id, 'displayName', g.display_name) order by g.id)
         from group_members m join groups g on g.directory_id = m.directory_id and g.id = m.group_id
         where m.directory_id = u.directory_id and m.member_id = u.id
       ) as groups
       from unnest(cast(:directoryIds as uuid[]), cast(:ids as uuid[])) as wanted(directory_id, id)
         join users u on u.directory_id = wanted.directory_id and u.id = wanted.id and u.id = any(cast(:ids as uuid[]))
           and u.directory_id = any(cast(:directoryIds as uuid[]))`,
      { directoryIds: pairs.map(([directoryId]) => directoryId!), ids: pairs.map(([, id]) => id!) },
    )
    .options(prepared('users-with-groups'));
  return new Map(rows.map((row) => [`${row.directory_id}/${row.id}`, { ...toUser(row), groups: row.groups ?? [] }]));
}
