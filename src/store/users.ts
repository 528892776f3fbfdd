import type { Knex } from 'knex';
import type { UserStore, UserWithGroups } from '../directory/ports.ts';
import { groupBy } from './group-by.ts';
import { listRows, maxPageWeight, toPageWeight, userListing, type Keyed } from './list-rows.ts';
import { endEarly } from './list-rows-related.ts';
import type { RunRead } from './reads.ts';
import type { ResponseMemory } from './response-memory.ts';
import { pageCost, searchCost } from './search-cost.ts';
import { shareQueries } from './share-queries.ts';
import { listRowsAcross, maxAcrossWeight } from './list-rows-across.ts';
import { complete, readRow } from './read-row.ts';
import { readSought } from './read-sought.ts';
import { toUser, type UserRow } from './user-rows.ts';
import { readUsersWithGroups, type WantedBy } from './users-with-groups.ts';

export interface UserStoreDeps {
  db: Knex;
  runRead: RunRead;
  memory: ResponseMemory;
}

export function createUserStore({ db, runRead, memory }: UserStoreDeps): UserStore {
  // Writers that are answered together read what they wrote together, and look up together.
  const wanted = (by: WantedBy) => shareQueries((keys) => readUsersWithGroups(db, by, keys));
  const shared = { id: wanted('id'), userName: wanted('userName'), externalId: wanted('externalId') };
  const getWithGroups = async (by: WantedBy, key: string): Promise<UserWithGroups | undefined> => {
    const found = await shared[by](key);
    const row = found && (await complete<UserRow>({ db, memory }, 'users', found));
    return row && { ...toUser(row), groups: found.groups ?? [] };
  };
  return {
    async find(directoryIds, id) {
      const row = await readRow<UserRow>({ db, memory }, 'users', { directoryIds, id });
      return row && toUser(row);
    },
    async listAcross(directoryIds, page, signal) {
      const directoryId = directoryIds[0]!;
      return memory.read(directoryId, toPageWeight(page.limit, maxAcrossWeight), () =>
        runRead({ cost: pageCost(page), directoryId, signal }, async (reading) => {
          const { resources, isCut } = await listRowsAcross<UserRow>(reading, 'users', directoryIds, page);
          return { resources: resources.map(toUser), isCut };
        }),
      );
    },
    async get(directoryId, id, { withGroups = false } = {}) {
      if (withGroups) return getWithGroups('id', `${directoryId}/${id}`);
      const row = await readRow<UserRow>({ db, memory }, 'users', { directoryIds: [directoryId], id });
      return row && toUser(row);
    },
    async list(directoryId, { withGroups = false, signal, ...query }) {
      const sought = readSought(query);
      if (sought) {
        const user = await getWithGroups(sought.by, `${directoryId}/${sought.value}`);
        return user ? { resources: [user], total: 1 } : { resources: [], total: 0 };
      }
      const cost = searchCost(query, 'User');
      return memory.read(directoryId, toPageWeight(query.page.limit, maxPageWeight), () =>
        runRead({ cost, directoryId, signal }, async (reading) => {
          const found = await listRows<UserRow & Keyed>(reading, userListing, directoryId, query);
          if (!withGroups) return { ...found, resources: found.resources.map(toUser) };
          const page = endEarly(found, await countGroups(reading, directoryId, found.resources), maxGroupsOfPage, query.sort);
          const groups = await groupsOf(reading, directoryId, page.resources);
          return { ...page, resources: page.resources.map((row) => ({ ...toUser(row), groups: groups.get(row.id) ?? [] })) };
        }),
      );
    },
  };
}

/** Of all users of a page, unless one alone is in more. */
const maxGroupsOfPage = 50_000;

interface MembershipRow {
  member_id: string;
  id: string;
  displayName: string;
}

/** In the order of their creation. */
async function groupsOf(db: Knex, directoryId: string, users: { id: string }[]): Promise<Map<string, MembershipRow[]>> {
  if (users.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: MembershipRow[] }>(
    `select m.member_id, g.id, g.display_name as "displayName"
     from group_members m join groups g on g.directory_id = m.directory_id and g.id = m.group_id
     where m.directory_id = :directoryId and m.member_id = any(cast(:userIds as uuid[])) order by g.id`,
    { directoryId, userIds: users.map(({ id }) => id) },
  );
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
