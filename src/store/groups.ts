import type { Knex } from 'knex';
import type { Group, GroupMember, MemberKind } from '../directory/group.ts';
import type { GroupStore } from '../directory/ports.ts';
import type { JsonObject } from '../scim/json.ts';
import { foldCase } from '../scim/text.ts';
import { groupBy } from './group-by.ts';
import { groupListing, listRows } from './list-rows.ts';
import { listRowsAcross } from './list-rows-across.ts';

export interface GroupRow {
  directory_id: string;
  id: string;
  display_name: string;
  display_name_key: string;
  external_id: string | null;
  resource: JsonObject;
  version: number;
  created_at: Date | string;
  updated_at: Date | string;
}

export const toGroup = (row: GroupRow): Group => ({
  id: row.id,
  displayName: row.display_name,
  externalId: row.external_id ?? undefined,
  resource: row.resource,
  version: row.version,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
});

export const toGroupColumns = (group: Group) => ({
  id: group.id,
  display_name: group.displayName,
  display_name_key: foldCase(group.displayName),
  external_id: group.externalId ?? null,
  resource: group.resource,
  version: group.version,
  created_at: group.createdAt,
  updated_at: group.updatedAt,
});

export function createGroupStore(db: Knex): GroupStore {
  return {
    async find(directoryIds, id) {
      const row = await db<GroupRow>('groups').whereRaw('directory_id = any(?)', [directoryIds]).where({ id }).first();
      return row && { ...toGroup(row), directoryId: row.directory_id };
    },

    async listAcross(directoryIds, page) {
      const { resources, isCut } = await listRowsAcross<GroupRow>(db, 'groups', directoryIds, page);
      return { resources: resources.map(toGroup), isCut };
    },

    async listUsers(directoryId, groupId, { offset, limit }) {
      const rows = await db('group_members')
        .where({ directory_id: directoryId, group_id: groupId, kind: 'user' })
        .orderBy('position')
        .offset(offset)
        .limit(limit)
        .select<{ id: string; display: string | null }[]>('member_id as id', 'display');
      return rows.map(({ id, display }) => ({ id, ...(display !== null && { display }) }));
    },

    async get(directoryId, id, { withMembers = false } = {}) {
      const row = await db<GroupRow>('groups').where({ directory_id: directoryId, id }).first();
      if (!row) return undefined;
      const members = withMembers ? await readMembers(db, directoryId, [id]) : undefined;
      return { ...toGroup(row), ...(members && { members: members.get(id) ?? [] }) };
    },

    async list(directoryId, { withMembers = false, ...query }) {
      const { next, ...page } = await listRows<GroupRow & { sort_key: string }>(db, groupListing, directoryId, query);
      if (!withMembers) return { ...page, ...(next && { next }), resources: page.resources.map(toGroup) };
      const rows = page.resources.slice(0, await countReadable(db, directoryId, page.resources));
      const members = await readMembers(
        db,
        directoryId,
        rows.map(({ id }) => id),
      );
      const last = rows.length < page.resources.length ? rows.at(-1) : undefined;
      const goesOnAfter = last ? { id: last.id, ...(query.sort && { sortKey: last.sort_key }) } : next;
      return {
        total: page.total,
        ...(goesOnAfter && { next: goesOnAfter }),
        resources: rows.map((row) => ({ ...toGroup(row), members: members.get(row.id) ?? [] })),
      };
    },
  };
}

interface MemberRow {
  group_id: string;
  value: string;
  id: string | null;
  kind: MemberKind | null;
  display: string | null;
}

/** In the order in which they came, those that are waited for last. */
async function readMembers(db: Knex, directoryId: string, groupIds: string[]): Promise<Map<string, GroupMember[]>> {
  if (groupIds.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: MemberRow[] }>(
    `select group_id, value, id, kind, display from (
       select group_id, cast(member_id as text) as value, member_id as id, kind, display, position, false as is_parked from group_members
         where directory_id = :directoryId and group_id = any(cast(:groupIds as uuid[]))
       union all
       select group_id, value, null, null, display, position, true from parked_members
         where directory_id = :directoryId and group_id = any(cast(:groupIds as uuid[]))
     ) found order by group_id, is_parked, position`,
    { directoryId, groupIds },
  );
  return new Map([...groupBy(rows, (row) => row.group_id)].map(([groupId, members]) => [groupId, members.map(toMember)]));
}

const toMember = ({ value, id, kind, display }: MemberRow): GroupMember => ({
  value,
  ...(id !== null && { id }),
  ...(kind !== null && { kind }),
  ...(display !== null && { display }),
});

const maxMembersOfPage = 50_000;

/** How many of these groups a page can show with their members: one at least. */
async function countReadable(db: Knex, directoryId: string, groups: { id: string }[]): Promise<number> {
  if (groups.length < 2) return groups.length;
  const { rows } = await db.raw<{ rows: { group_id: string; members: number }[] }>(
    `select group_id, count(*) as members from (
       select group_id from group_members where directory_id = :directoryId and group_id = any(cast(:groupIds as uuid[]))
       union all
       select group_id from parked_members where directory_id = :directoryId and group_id = any(cast(:groupIds as uuid[]))
     ) found group by group_id`,
    { directoryId, groupIds: groups.map(({ id }) => id) },
  );
  const sizes = new Map(rows.map((row) => [row.group_id, row.members]));
  let members = 0;
  const tooMany = groups.findIndex(({ id }, index) => {
    members += sizes.get(id) ?? 0;
    return index > 0 && members > maxMembersOfPage;
  });
  return tooMany === -1 ? groups.length : tooMany;
}
