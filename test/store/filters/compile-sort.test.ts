import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { maxSortKeyLength } from '../../../src/scim/cursor.ts';
import { resolvePath } from '../../../src/scim/schema/resolve-path.ts';
import { compileSort } from '../../../src/store/filters/compile-sort.ts';
import { resourceTypeOf } from '../../../src/store/filters/attribute-source.ts';
import { someIds } from '../../scim/filter/arbitraries.ts';
import { cloneDatabase } from '../../support/database.ts';
import { createDirectory, storeGroups, storeUsers, type Stored, type StoredGroup } from './fixture.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const userOf = (resource: Stored['resource'], index: number, rest: Partial<Stored> = {}): Stored => ({
  id: someIds[index]!,
  resource: { userName: `user${index}`, ...resource },
  ...rest,
});

interface Sorting {
  sortBy: string;
  type?: 'User' | 'Group';
  isDescending?: boolean;
}

/** Walks through pages of two by sort key and id. */
async function walk(directoryId: string, { sortBy, type = 'User', isDescending = false }: Sorting) {
  const { sql, bindings } = compileSort(resolvePath(sortBy, resourceTypeOf(type))!, type);
  const [table, row] = type === 'User' ? ['users as u', 'u'] : ['groups as g', 'g'];
  const direction = isDescending ? 'desc' : 'asc';
  const seen: { id: string; key: string }[] = [];
  for (;;) {
    const last = seen.at(-1);
    const page = database.db(table).where(`${row}.directory_id`, directoryId).limit(2);
    if (last) void page.whereRaw(`(${sql}, ${row}.id) ${isDescending ? '<' : '>'} (:key, :id)`, { ...bindings, ...last });
    void page
      .select(`${row}.id`, database.db.raw(`${sql} as key`, bindings))
      .orderByRaw(`${sql} ${direction}, ${row}.id ${direction}`, bindings);
    const rows = await page;
    if (rows.length === 0) return seen;
    seen.push(...rows);
  }
}

async function order(resources: Stored['resource'][], sorting: Sorting): Promise<number[]> {
  const directoryId = await createDirectory(database.db);
  const users = resources.map((resource, index) => userOf(resource, index));
  await storeUsers(database.db, directoryId, users);
  const seen = await walk(directoryId, sorting);
  return seen.map(({ id }) => users.findIndex((user) => user.id === id));
}

const members = (...displays: string[]) => displays.map((display) => ({ value: newId(), type: 'User' as const, display }));
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

it.each<[string, Stored['resource'][], number[]]>([
  ['userName', [{ userName: 'b' }, { userName: 'A' }, { userName: 'Ab' }, { userName: '😀' }, { userName: '\uffee' }], [1, 2, 0, 4, 3]],
  ['displayName', [{}, { displayName: 'b' }, { displayName: 'A' }, { displayName: null }, { displayName: '' }], [4, 2, 1, 0, 3]],
  ['externalId', [{ externalId: 'a' }, { externalId: 'B' }, {}], [1, 0, 2]],
  ['active', [{ active: true }, { active: false }], [1, 0]],
  ['name.familyName', [{ name: { familyName: 'b' } }, {}, { name: { familyName: 'A' } }, { name: 'odd' }], [2, 0, 1, 3]],
  [`${enterprise}:department`, [{ [enterprise]: { department: 'b' } }, { [enterprise]: { department: 'a' } }, {}], [1, 0, 2]],
  ['manager', [{ [enterprise]: { manager: { value: 'b' } } }, { [enterprise]: { manager: { value: 'a' } } }], [1, 0]],
  [
    'emails',
    [
      { emails: [{ value: 'a' }, { value: 'c', primary: true }] },
      { emails: [{ value: 'B' }, { value: 'a' }] },
      { emails: [] },
      { emails: [{ type: 'work', primary: true }, { value: 'd' }] },
    ],
    [1, 0, 3, 2],
  ],
  ['emails.type', [{ emails: [{ type: 'work' }] }, { emails: [{ type: 'work' }, { type: 'home', primary: true }] }], [1, 0]],
  ['SHOE', [{ shoe: 'b' }, { Shoe: { value: 'a' } }, { shoe: [{ value: 'c' }] }, { shoe: { x: 1 } }], [1, 0, 2, 3]],
  ['constructor', [{}, {}], [0, 1]],
  ['name', [{ name: { familyName: 'b' } }, { name: { familyName: 'a' } }], [0, 1]],
])('sorts by %s', async (sortBy, resources, expected) => {
  expect(await order(resources, { sortBy })).toEqual(expected);
  expect(await order(resources, { sortBy, isDescending: true })).toEqual(expected.toReversed());
});

it('sorts by attributes that the service assigns', async () => {
  const directoryId = await createDirectory(database.db);
  const times = ['2024-05-01T10:00:00.002Z', '0900-01-01T00:00:00Z', '2024-05-01T10:00:00.001Z'];
  const users = times.map((created, index) => userOf({}, index, { created, version: 3 - index }));
  await storeUsers(database.db, directoryId, users);
  const byTime = await walk(directoryId, { sortBy: 'meta.created' });
  expect(byTime.map(({ id }) => users.findIndex((user) => user.id === id))).toEqual([1, 2, 0]);
  const byId = await walk(directoryId, { sortBy: 'id', isDescending: true });
  expect(byId.map(({ id }) => id)).toEqual(
    users
      .map(({ id }) => id)
      .sort()
      .toReversed(),
  );
});

it('sorts groups by their first member, and users by their first group', async () => {
  const directoryId = await createDirectory(database.db);
  const [one, other] = [userOf({}, 1), userOf({}, 2)];
  await storeUsers(database.db, directoryId, [one, other]);
  const groups: StoredGroup[] = [
    { id: newId(), resource: { displayName: 'z' }, members: [...members('c', 'a'), { value: other.id, type: 'User' }] },
    { id: newId(), resource: { displayName: 'y' }, members: [...members('B'), { value: one.id, type: 'User' }] },
    { id: newId(), resource: { displayName: 'x' } },
  ];
  await storeGroups(database.db, directoryId, groups);
  const byMember = await walk(directoryId, { sortBy: 'members.display', type: 'Group' });
  expect(byMember.map(({ id }) => groups.findIndex((group) => group.id === id))).toEqual([1, 0, 2]);
  const byGroup = await walk(directoryId, { sortBy: 'groups.display' });
  expect(byGroup.map(({ id }) => id)).toEqual([one.id, other.id]);
});

it('orders text by code points, whatever the collation of the database', () => {
  expect(compileSort({ attribute: 'userName' }, 'User').sql).toContain('collate "C"');
});

it('limits the length of sort keys for cursors, and loses no rows', async () => {
  const directoryId = await createDirectory(database.db);
  const users = [1, 2, 3, 4, 5].map((index) => userOf({ nickName: '😀'.repeat(500) + (9 - index) }, index));
  await storeUsers(database.db, directoryId, users);
  const seen = await walk(directoryId, { sortBy: 'nickName' });
  expect(seen.map(({ id }) => id)).toEqual(users.map(({ id }) => id).sort());
  expect(Array.from(seen[0]!.key)).toHaveLength(maxSortKeyLength);
});
