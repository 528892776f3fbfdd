import type { Knex } from 'knex';
import { AppError } from '../../errors.ts';
import type { Group, GroupMember, NestedGroups } from '../../directory/resources/group.ts';
import type { GroupStore } from '../../directory/ports.ts';
import { createYieldToEventLoop, forEachYielding } from '../../shared/yield-to-event-loop.ts';
import { toGroup, type GroupRow } from './group-rows.ts';
import { type Keyed, type ResourceStoreDeps, groupListing, readPage, shortenPage } from '../resources/list-rows.ts';
import { readAcrossDirectories } from '../resources/list-across.ts';
import { countMembers } from './count-members.ts';
import { selectGroups } from './select-groups.ts';
import { toContinuedPage } from '../../directory/page.ts';
import { publicIdOf, publicIdOfMember } from '../resources/public-id.ts';
import { readRow } from '../resources/read-row.ts';
import { pageCost } from '../resources/query-cost.ts';

export function createGroupStore({ db, runRead, runStaleRead, memory }: ResourceStoreDeps): GroupStore & NestedGroups {
  return {
    async find(directoryIds, reference) {
      const row = await readRow<GroupRow>({ db, memory }, 'groups', directoryIds, reference);
      if (!row) return undefined;
      const counts = await countMembers(db, [row]);
      return { ...toGroup(row), directoryId: row.directory_id, memberCount: counts.get(`${row.directory_id} ${row.id}`) ?? 0 };
    },

    async listAcross(directoryIds, { page, filter = {} }) {
      const found = await readAcrossDirectories({ runStaleRead, memory }, 'groups', {
        directoryIds,
        page,
        selection: selectGroups(filter),
        toResource: (row: GroupRow) => ({ ...toGroup(row), directoryId: row.directory_id }),
      });
      const counts = await runStaleRead({ cost: 'page', directoryId: directoryIds[0]! }, (reading) =>
        countMembers(
          reading,
          found.resources.map(({ directoryId, id }) => ({ directory_id: directoryId, id })),
        ),
      );
      const resources = found.resources.map((group) => ({ ...group, memberCount: counts.get(`${group.directoryId} ${group.id}`) ?? 0 }));
      return { ...found, resources };
    },

    listUsers: (directoryId, groupId, page) =>
      runStaleRead({ cost: pageCost({ offset: 0, ...page }), directoryId }, async (reading) => {
        const members = reading('group_members')
          .where({ directory_id: directoryId, group_id: groupId, kind: 'user' })
          .orderBy('position', 'desc')
          .limit(page.limit + 1)
          .select<{ id: string; position: number }[]>(reading.raw(`${publicIdOfMember('group_members')} as id`), 'position');
        const rows = await ('after' in page ? members.where('position', '<', page.after) : members.offset(page.offset));
        const { resources, next } = toContinuedPage(rows, page.limit, ({ position }) => position);
        return { resources: resources.map(({ id }) => ({ id })), next };
      }),

    async getUsers(directoryId, groupId, limit) {
      const weight = await weighMembers(directoryId, groupId);
      assertFits(weight, 'read its members page by page, from /members');
      return memory.read(directoryId, weight, () =>
        runRead({ cost: 'page', directoryId }, async (reading) => {
          const rows = await reading('group_members')
            .where({ directory_id: directoryId, group_id: groupId, kind: 'user' })
            .orderBy('position')
            .limit(limit)
            .select<{ id: string; display: string | null }[]>(reading.raw(`${publicIdOfMember('group_members')} as id`), 'display');
          return rows.map(({ id, display }) => ({ id, ...(display !== null && { display }) }));
        }),
      );
    },

    listNested: (directoryId, groupId, page) =>
      runStaleRead({ cost: pageCost({ offset: 0, ...page }), directoryId }, async (reading) => {
        const members = reading('group_members as m')
          .join('groups as g', (on) => on.on('g.directory_id', 'm.directory_id').on('g.id', 'm.member_id'))
          .where({ 'm.directory_id': directoryId, 'm.group_id': groupId, 'm.kind': 'group' })
          .orderBy('m.position')
          .limit(page.limit + 1)
          .select<(Pick<Group, 'id' | 'displayName'> & { position: number })[]>(
            reading.raw(`${publicIdOf('g')} as id`),
            'g.display_name as displayName',
            'm.position',
          );
        const rows = await ('after' in page ? members.where('m.position', '>', page.after) : members.offset(page.offset));
        return toContinuedPage(rows, page.limit, ({ position }) => position);
      }),

    async get(directoryId, id, { withMembers = false } = {}) {
      const row = await readRow<GroupRow>({ db, memory }, 'groups', [directoryId], { by: 'key', id });
      if (!row) return undefined;
      if (!withMembers) return toGroup(row);
      const read = { cost: 'page', directoryId } as const;
      const weight = await weighMembers(directoryId, id);
      assertFits(weight, 'read it with excludedAttributes=members, and its members page by page');
      const members = await memory.read(directoryId, weight, () => runRead(read, (reading) => readMembers(reading, directoryId, [id])));
      return { ...toGroup(row), members: members.get(id) ?? [] };
    },

    async list(directoryId, { withMembers = false, ...query }) {
      const read = { cost: 'page', directoryId } as const;
      const found = await readPage<GroupRow & Keyed>({ runRead, memory }, groupListing, directoryId, query);
      if (!withMembers) return { ...found, resources: found.resources.map(toGroup) };
      const weights = await runRead(read, (reading) => weighMembersOf(reading, directoryId, found.resources));
      const page = shortenPage(found, weights, maxMembersWeightOfPage, query.sort);
      const ids = page.resources.map(({ id }) => id);
      const weight = ids.reduce((sum, id) => sum + (weights.get(id) ?? 0), 0);
      assertFits(weight, 'list groups with excludedAttributes=members');
      const members = await memory.read(directoryId, weight, () => runRead(read, (reading) => readMembers(reading, directoryId, ids)));
      return { ...page, resources: page.resources.map((row) => ({ ...toGroup(row), members: members.get(row.id) ?? [] })) };
    },
  };

  async function weighMembers(directoryId: string, groupId: string) {
    const weights = await runRead({ cost: 'page', directoryId }, (reading) => weighMembersOf(reading, directoryId, [{ id: groupId }]));
    return weights.get(groupId) ?? 0;
  }
}

/** The limit for the members of one group: about 200,000 members without a display name, as JSON. */
const maxMembersWeight = 50_331_648;
/** The limit for all groups of a page. A page with one group may exceed it. */
const maxMembersWeightOfPage = 12_582_912;
/** Memory of a member as JSON, with its URL, without its display name. */
const weightOfMember = 240;

function assertFits(weight: number, alternative: string): void {
  if (weight > maxMembersWeight)
    throw new AppError(
      'payload_too_large',
      `The members of this group would make a response of more than ${maxMembersWeight} bytes (fixed limit): ${alternative}.`,
    );
}

/** Returns the memory in bytes that each group's members would take. */
async function weighMembersOf(db: Knex, directoryId: string, groups: { id: string }[]): Promise<Map<string, number>> {
  if (groups.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: { group_id: string; weight: number }[] }>(
    `select group_id, cast(sum(${weightOfMember} + coalesce(octet_length(display), 0)) as float8) as weight from (
       select group_id, display from group_members where directory_id = :directoryId and group_id = any(cast(:groupIds as uuid[]))
       union all
       select group_id, display from pending_members where directory_id = :directoryId and group_id = any(cast(:groupIds as uuid[]))
     ) found group by group_id`,
    { directoryId, groupIds: groups.map(({ id }) => id) },
  );
  return new Map(rows.map((row) => [row.group_id, row.weight]));
}

/** Postgres writes the members of a group as one JSON value. The driver would need a second for 100,000 rows. */
type MemberRow = [value: string, kind: 'u' | 'g' | null, display?: string];
interface MembersRow {
  group_id: string;
  members: MemberRow[];
}

/** Reads the members in the order in which they were added, pending members last. */
async function readMembers(db: Knex, directoryId: string, groupIds: string[]): Promise<Map<string, GroupMember[]>> {
  if (groupIds.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: MembersRow[] }>(
    `select group_id, json_agg(member order by is_pending, position) as members from (
       select group_id, position, false as is_pending,
         case when display is null then json_build_array(member.id, left(kind, 1)) else json_build_array(member.id, left(kind, 1), display) end
           as member
       from group_members cross join lateral (select ${publicIdOfMember('group_members')} as id offset 0) member where directory_id = :directoryId and group_id = any(cast(:groupIds as uuid[]))
       union all
       select group_id, position, true,
         case when display is null then json_build_array(value, null) else json_build_array(value, null, display) end
       from pending_members where directory_id = :directoryId and group_id = any(cast(:groupIds as uuid[]))
     ) found group by group_id`,
    { directoryId, groupIds },
  );
  const pause = createYieldToEventLoop();
  const members = new Map<string, GroupMember[]>();
  for (const row of rows) {
    const ofGroup: GroupMember[] = [];
    await forEachYielding(row.members, pause, (member) => ofGroup.push(toMember(member)));
    members.set(row.group_id, ofGroup);
  }
  return members;
}

const toMember = ([value, kind, display]: MemberRow): GroupMember => ({
  value,
  ...(kind !== null && { id: value, kind: kind === 'u' ? 'user' : 'group' }),
  ...(display !== undefined && { display }),
});
