import type { Knex } from 'knex';
import type { OfDirectory, PageAcross, Reference, ResourceQuery, UserStore, UserWithGroups } from '../../directory/ports.ts';
import type { User } from '../../directory/resources/user.ts';
import { AppError } from '../../errors.ts';
import { type GroupOfUser, countGroups, fewGroups, readGroups, weighGroups } from './groups-of-users.ts';
import { type Keyed, type ResourceStoreDeps, readPage, shortenPage, userListing } from '../resources/list-rows.ts';
import { positionOf, readAcrossDirectories } from '../resources/list-across.ts';
import { selectUsers } from './select-users.ts';
import { shareQueries } from '../sql/share-queries.ts';
import { type WeighedRow, joinWeight, readRow, weighedColumns, withDocument } from '../resources/read-row.ts';
import { toUser, type UserRow } from './user-rows.ts';
import { foldCase } from '../../scim/text.ts';
import { boundValues } from '../sql/look-up-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';

export function createUserStore({ db, runRead, runStaleRead, memory }: ResourceStoreDeps): UserStore {
  // Concurrent writers look up users, and read back what they wrote, with one shared query.
  const findBy = (by: UserKey) => shareQueries((keys) => readUsersWithGroups(db, by, keys));
  const shared = { id: findBy('id'), userName: findBy('userName'), externalId: findBy('externalId') };
  async function getWithGroups(by: UserKey, directoryId: string, value: string): Promise<UserWithGroups | undefined> {
    const found = await shared[by](`${directoryId}/${value}`);
    if (!found) return undefined;
    const completed = withDocument<UserRow>({ db, memory }, 'users', found);
    const row = completed instanceof Promise ? await completed : completed;
    if (!row) return undefined;
    if (found.groups) return { ...toUser(row), groups: found.groups };
    const weights = await runRead({ cost: 'page', directoryId }, (reading) => weighGroups(reading, directoryId, [row]));
    const groups = await loadGroups(directoryId, [row], weights);
    return { ...toUser(row), groups: groups.get(row.id) ?? [] };
  }

  /** Waits for memory before it reads. */
  async function loadGroups(directoryId: string, users: { id: string }[], weights: Map<string, number>) {
    const weight = users.reduce((sum, { id }) => sum + (weights.get(id) ?? 0), 0);
    if (weight > maxGroupsWeight) throw tooManyGroups();
    if (weight === 0) return new Map<string, never>();
    return memory.read(directoryId, weight, () =>
      runRead({ cost: 'page', directoryId }, (reading) => readGroups(reading, directoryId, users)),
    );
  }

  /** Ends the page before its groups take too much memory. Counts first, since weighing many groups takes long. */
  async function addGroups(found: PageAcross<OfDirectory<User>>): Promise<PageAcross<OfDirectory<UserWithGroups>>> {
    const counted = await shortenAcross(found, countGroups, maxGroupsOfPage);
    const weighed = await shortenAcross(counted, weighGroups, maxGroupsWeightOfPage);
    const resources: OfDirectory<UserWithGroups>[] = [];
    for (const [directoryId, users] of groupByDirectory(weighed.resources)) {
      const groups = await loadGroups(directoryId, users, await measureGroups(directoryId, users, weighGroups));
      resources.push(...users.map((user) => ({ ...user, groups: groups.get(user.id) ?? [] })));
    }
    const places = new Map(weighed.resources.map((user, index) => [`${user.directoryId} ${user.id}`, index]));
    const placeOf = ({ directoryId, id }: OfDirectory<User>) => places.get(`${directoryId} ${id}`)!;
    return { ...weighed, resources: resources.sort((one, other) => placeOf(one) - placeOf(other)) };
  }

  function measureGroups(directoryId: string, users: { id: string }[], measure: typeof countGroups): Promise<Map<string, number>> {
    return runRead({ cost: 'page', directoryId }, (reading) => measure(reading, directoryId, users));
  }

  async function shortenAcross(
    page: PageAcross<OfDirectory<User>>,
    measure: typeof countGroups,
    limit: number,
  ): Promise<PageAcross<OfDirectory<User>>> {
    const sizes = new Map<OfDirectory<User>, number>();
    for (const [directoryId, users] of groupByDirectory(page.resources)) {
      const measured = await measureGroups(directoryId, users, measure);
      for (const user of users) sizes.set(user, measured.get(user.id) ?? 0);
    }
    let total = 0;
    const tooMany = page.resources.findIndex((user, index) => {
      total += sizes.get(user)!;
      return index > 0 && total > limit;
    });
    if (tooMany === -1) return page;
    const resources = page.resources.slice(0, tooMany);
    return { resources, isCut: true, next: positionOf(resources.at(-1)!) };
  }

  async function find(directoryIds: string[], reference: Reference): Promise<OfDirectory<User> | undefined> {
    const row = await readRow<UserRow>({ db, memory }, 'users', directoryIds, reference);
    return row && toUserOfDirectory(row);
  }

  return {
    find,
    async listAcross(directoryIds, { page, filter = {}, withGroups = false }) {
      const selection = selectUsers(filter);
      const found = await readAcrossDirectories({ runStaleRead, memory }, 'users', {
        directoryIds,
        page,
        selection,
        toResource: toUserOfDirectory,
      });
      return withGroups ? addGroups(found) : found;
    },
    async groupsOf(directoryId, userId) {
      const users = [{ id: userId }];
      const weights = await runRead({ cost: 'page', directoryId }, (reading) => weighGroups(reading, directoryId, users));
      return (await loadGroups(directoryId, users, weights)).get(userId) ?? [];
    },
    get: (directoryId, id, { withGroups = false } = {}) =>
      withGroups ? getWithGroups('id', directoryId, id) : find([directoryId], { by: 'key', id }),

    async list(directoryId, { withGroups = false, ...query }) {
      const match = toExactMatch(query);
      if (match) {
        const user = await getWithGroups(match.by, directoryId, match.value);
        return user ? { resources: [user], total: 1 } : { resources: [], total: 0 };
      }
      const found = await readPage<UserRow & Keyed>({ runRead, memory }, userListing, directoryId, query);
      if (!withGroups || found.resources.length === 0) return { ...found, resources: found.resources.map(toUser) };
      const { page, weights } = await runRead({ cost: 'page', directoryId }, async (reading) => {
        const counts = await countGroups(reading, directoryId, found.resources);
        if (counts.size === 0) return { page: found, weights: counts };
        // Counts first: weighing the groups of a thousand users takes long if each user is in thousands of groups.
        const counted = shortenPage(found, counts, maxGroupsOfPage, query.sort);
        const weighed = await weighGroups(reading, directoryId, counted.resources);
        return { page: shortenPage(counted, weighed, maxGroupsWeightOfPage, query.sort), weights: weighed };
      });
      const groups = await loadGroups(directoryId, page.resources, weights);
      return { ...page, resources: page.resources.map((row) => ({ ...toUser(row), groups: groups.get(row.id) ?? [] })) };
    },
  };
}

function groupByDirectory(users: OfDirectory<User>[]): Map<string, OfDirectory<User>[]> {
  const byDirectory = new Map<string, OfDirectory<User>[]>();
  for (const user of users) byDirectory.set(user.directoryId, [...(byDirectory.get(user.directoryId) ?? []), user]);
  return byDirectory;
}

const toUserOfDirectory = (row: UserRow): OfDirectory<User> => ({ ...toUser(row), directoryId: row.directory_id });

/** Limits for all users of a page. A page with one user may exceed them. */
const maxGroupsOfPage = 50_000;
const maxGroupsWeightOfPage = 12_582_912;
/** The limit for one user. */
const maxGroupsWeight = 50_331_648;

const tooManyGroups = () =>
  new AppError(
    'payload_too_large',
    `The groups of this user would make a response of more than ${maxGroupsWeight} bytes (fixed limit): read it with excludedAttributes=groups.`,
  );

/** Attributes that identify one user of a directory. */
type UserKey = 'id' | 'userName' | 'externalId';

interface FoundUser extends WeighedRow {
  /** The key by which the user was found. */
  wanted: string;
  /** Null if they would take too much memory. */
  groups: GroupOfUser[] | null;
}

const columns: Record<UserKey, { name: string; type: 'uuid' | 'text' }> = {
  id: { name: 'id', type: 'uuid' },
  userName: { name: 'user_name_key', type: 'text' },
  externalId: { name: 'external_id', type: 'text' },
};

/**
 * Finds users by keys of the form `<directory id>/<value>`. A large document, or too many groups of a user, are left out, since one call may
 * find many users.
 */
export async function readUsersWithGroups(db: Knex, by: UserKey, keys: string[]): Promise<Map<string, FoundUser>> {
  const { name, type } = columns[by];
  const pairs = keys.map((key) => [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)] as const);
  const rows = await runPrepared<FoundUser>(
    db,
    `users-with-groups-by-${by}`,
    () => `select ${weighedColumns('users')}, wanted.value as wanted, few.groups
       from unnest(array(${boundValues('directoryIds', 'uuid')}), array(${boundValues('wanted', type)})) as wanted(directory_id, value)
         cross join lateral (select * from users where directory_id = wanted.directory_id and ${name} = wanted.value offset 0) r
         ${joinWeight('users')} ${fewGroups('r.directory_id', 'r.id')}`,
    { directoryIds: pairs.map(([directoryId]) => directoryId), wanted: pairs.map(([, value]) => value) },
  );
  return new Map(rows.map((row) => [`${row.directory_id}/${row.wanted}`, row]));
}

/**
 * Returns the key if a filter is just `userName eq "…"` or `externalId eq "…"`. Identity providers send these before each change, so they
 * are served by a prepared statement.
 */
function toExactMatch({ filter, page }: ResourceQuery): { by: UserKey; value: string } | undefined {
  if (filter?.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return undefined;
  if (!('offset' in page) || page.offset !== 0 || page.limit === 0) return undefined;
  const { extension, attribute, sub } = filter.path;
  if (extension !== undefined || sub !== undefined) return undefined;
  if (attribute === 'userName') return { by: 'userName', value: foldCase(filter.value) };
  if (attribute === 'externalId') return { by: 'externalId', value: filter.value };
  return undefined;
}
