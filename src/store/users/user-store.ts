import type { Knex } from 'knex';
import type { OfDirectory, Reference, ResourceQuery, UserStore, UserWithGroups } from '../../directory/ports.ts';
import type { User } from '../../directory/resources/user.ts';
import { AppError } from '../../errors.ts';
import { type GroupOfUser, countGroups, fewGroups, readGroups, weighGroups } from './groups-of-users.ts';
import { type Keyed, type ResourceStoreDeps, readAcrossDirectories, readPage, shortenPage, userListing } from '../resources/list-rows.ts';
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

  async function find(directoryIds: string[], reference: Reference): Promise<OfDirectory<User> | undefined> {
    const row = await readRow<UserRow>({ db, memory }, 'users', directoryIds, reference);
    return row && toUserOfDirectory(row);
  }

  return {
    find,
    listAcross: (directoryIds, page) =>
      readAcrossDirectories({ runStaleRead, memory }, 'users', { directoryIds, page, toResource: toUserOfDirectory }),
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
         ${joinWeight} ${fewGroups('r.directory_id', 'r.id')}`,
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
