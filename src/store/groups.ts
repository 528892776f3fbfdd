import type { Knex } from 'knex';
import type { Group, GroupMember, MemberKind, NestedGroups } from '../directory/group.ts';
import type { GroupStore } from '../directory/ports.ts';
import type { JsonObject } from '../scim/json.ts';
import { foldCase } from '../scim/text.ts';
import { groupBy } from './group-by.ts';
import { groupListing, listRows, type Keyed } from './list-rows.ts';
import { endEarly } from './list-rows-related.ts';
import { listRowsAcross } from './list-rows-across.ts';
import type { RunRead } from './reads.ts';
import { searchCost } from './search-cost.ts';

export interface GroupRow {
  directory_id: string;
  id: string;
  display_name: string;
  display_name_key: string;
  external_id: string | null;
  namesake: string;
  resource: JsonObject;
  version: number;
  created_at: Date | string;
  updated_at: Date | string;
}

export const toGroup = (row: GroupRow): Group => ({
  id: row.id,
  displayName: row.display_name,
  externalId: row.external_id ?? undefined,
  sharesName: row.namesake !== '',
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
  namesake: group.sharesName ? (group.externalId ?? group.id) : '',
  resource: group.resource,
  version: group.version,
  created_at: group.createdAt,
  updated_at: group.updatedAt,
});

export function createGroupStore(db: Knex, runRead: RunRead): GroupStore & NestedGroups {
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

    async listNested(directoryId, groupId, { offset, limit }) {
      return db('group_members as m')
        .join('groups as g', (on) => on.on('g.directory_id', 'm.directory_id').on('g.id', 'm.member_id'))
        .where({ 'm.directory_id': directoryId, 'm.group_id': groupId, 'm.kind': 'group' })
        .orderBy('m.position')
        .offset(offset)
        .limit(limit)
        .select<Pick<Group, 'id' | 'displayName'>[]>('g.id', 'g.display_name as displayName');
    },

    get: (directoryId, id, { withMembers = false, signal } = {}) =>
      runRead({ cost: withMembers ? 'page' : 'few', directoryId, signal }, async (reading) => {
        const row = await reading<GroupRow>('groups').where({ directory_id: directoryId, id }).first();
        if (!row) return undefined;
        const members = withMembers ? await readMembers(reading, directoryId, [id]) : undefined;
        return { ...toGroup(row), ...(members && { members: members.get(id) ?? [] }) };
      }),

    list: (directoryId, { withMembers = false, signal, ...query }) =>
      runRead({ cost: searchCost(query, 'Group'), directoryId, signal }, async (reading) => {
        const found = await listRows<GroupRow & Keyed>(reading, groupListing, directoryId, query);
        if (!withMembers) return { ...found, resources: found.resources.map(toGroup) };
        const page = endEarly(found, await countMembers(reading, directoryId, found.resources), query.sort);
        const ids = page.resources.map(({ id }) => id);
        const members = await readMembers(reading, directoryId, ids);
        return { ...page, resources: page.resources.map((row) => ({ ...toGroup(row), members: members.get(row.id) ?? [] })) };
      }),
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

/** One group is read whole, however large: it need not be counted. */
async function countMembers(db: Knex, directoryId: string, groups: { id: string }[]): Promise<Map<string, number>> {
  if (groups.length < 2) return new Map();
  const { rows } = await db.raw<{ rows: { group_id: string; members: number }[] }>(
    `select group_id, count(*) as members from (
       select group_id from group_members where directory_id = :directoryId and group_id = any(cast(:groupIds as uuid[]))
       union all
       select group_id from parked_members where directory_id = :directoryId and group_id = any(cast(:groupIds as uuid[]))
     ) found group by group_id`,
    { directoryId, groupIds: groups.map(({ id }) => id) },
  );
  return new Map(rows.map((row) => [row.group_id, row.members]));
}
