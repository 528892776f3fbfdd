import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toResourceKey } from '../../../src/directory/resources/resource-ids.ts';
import { matches } from '../../../src/scim/filter/matches.ts';
import { parseFilter } from '../../../src/scim/filter/parse-filter.ts';
import { groupType, userType } from '../../../src/scim/schema/resource-types.ts';
import { anyFilterText, date, groupDocument, importedIds, someIds, userDocument, word } from '../../scim/filter/arbitraries.ts';
import { cloneDatabase } from '../../support/database.ts';
import { createDirectory, idsOf, showGroup, showUser, storeGroups, storeUsers, type Stored, type StoredGroup } from './fixture.ts';
import { randomRuns } from '../../support/random-runs.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const [userIds, groupIds] = [
  [...someIds.slice(0, 2), ...importedIds.slice(0, 3)].toSorted(byKey),
  [...someIds.slice(2, 4), ...importedIds.slice(3)].toSorted(byKey),
];
const allIds = [...userIds, ...groupIds];
const assigned = fc.record({ version: fc.integer({ min: 1, max: 3 }), created: date, lastModified: date });

/** Names are unique in a directory, so each ends with its row's number. */
const numbered = (name: string | undefined, index: number) => (name === undefined ? {} : { externalId: `${name}${index}` });

const directory = fc.record({
  users: fc.tuple(
    ...userIds.map((id, index) =>
      fc
        .tuple(assigned, userDocument, word, fc.option(word, { nil: undefined }), fc.boolean())
        .map(([meta, document, name, externalId, active]): Stored => ({
          ...meta,
          id,
          resource: { ...document, userName: `${name}${index}`, ...numbered(externalId, index), active },
        })),
    ),
  ),
  groups: fc.tuple(
    ...groupIds.map((id, index) => {
      const attached = fc.subarray(allIds.filter((other) => other !== id));
      const pending = fc.uniqueArray(fc.constantFrom('a', 'Ab', 'é', '😀', someIds[0]!.toUpperCase()));
      return fc
        .tuple(assigned, groupDocument, word, fc.option(word, { nil: undefined }), attached, pending, fc.option(word, { nil: undefined }))
        .map(([meta, document, name, externalId, ids, values, display]): StoredGroup => ({
          ...meta,
          id,
          resource: { ...document, displayName: `${name}${index}`, ...numbered(externalId, index) },
          members: [
            ...ids.map((value) => ({ value, type: userIds.includes(value) ? ('User' as const) : ('Group' as const) })),
            ...values.map((value) => ({ value })),
          ].map((member) => ({ ...member, ...(display !== undefined && { display }) })),
        }));
    }),
  ),
  userFilters: fc.array(anyFilterText(userType), { minLength: 20, maxLength: 20 }),
  groupFilters: fc.array(anyFilterText(groupType), { minLength: 8, maxLength: 8 }),
});

it('finds the same resources in Postgres as in memory', async () => {
  let foundSome = 0;
  await fc.assert(
    fc.asyncProperty(directory, async ({ users, groups, userFilters, groupFilters }) => {
      const directoryId = await createDirectory(database.db);
      await storeUsers(database.db, directoryId, users);
      await storeGroups(database.db, directoryId, groups);
      for (const text of userFilters) {
        const filter = parseFilter(text, userType);
        const expected = users.filter((user) => matches(filter, showUser(user, groups), userType)).map(({ id }) => id);
        const found = await idsOf(database.db, directoryId, { text, type: 'User' });
        expect({ text, found, users }).toEqual({ text, found: expected, users });
        if (found.length > 0 && found.length < users.length) foundSome++;
      }
      for (const text of groupFilters) {
        const filter = parseFilter(text, groupType);
        const expected = groups.filter((group) => matches(filter, showGroup(group), groupType)).map(({ id }) => id);
        const found = await idsOf(database.db, directoryId, { text, type: 'Group' });
        expect({ text, found, groups }).toEqual({ text, found: expected, groups });
        if (found.length > 0 && found.length < groups.length) foundSome++;
      }
      await database.db('directories').where({ id: directoryId }).delete();
    }),
    { numRuns: randomRuns(40), endOnFailure: true },
  );
  expect(foundSome).toBeGreaterThan(100);
}, 180_000);

const [ada, ben, staff, crew] = someIds as [string, string, string, string];

/** Two directories with the same ids. Only `ada` in the first one has the email address and the group. */
async function fillDirectory(owner: string) {
  const directoryId = await createDirectory(database.db);
  const userOf = (id: string) => ({ id, resource: { userName: id, emails: id === owner ? [{ value: 'a@b' }] : [] } });
  await storeUsers(database.db, directoryId, [userOf(ada), userOf(ben)]);
  await storeGroups(database.db, directoryId, [
    { id: staff, resource: { displayName: `staff of ${owner}` }, members: [{ value: owner, type: 'User' }, { value: `later ${owner}` }] },
    { id: crew, resource: { displayName: 'crew' } },
  ]);
  return directoryId;
}

it('finds only resources of one directory, although another has the same IDs', async () => {
  const directoryId = await fillDirectory(ada);
  await fillDirectory(ben);
  const find = (text: string, type: 'User' | 'Group') => idsOf(database.db, directoryId, { text, type });
  for (const text of ['emails eq "a@b"', 'emails[value eq "a@b"]', `groups.value eq "${staff}"`, 'groups.display sw "staff"', 'groups pr'])
    expect({ text, found: await find(text, 'User') }).toEqual({ text, found: [ada] });
  expect(await find(`groups.display eq "staff of ${ben}"`, 'User')).toEqual([]);
  expect(await find(`members eq "${ada}" and members eq "later ${ada}"`, 'Group')).toEqual([staff]);
  expect(await find(`members eq "${ben}" or members eq "later ${ben}" or members ew "${ben}"`, 'Group')).toEqual([]);
});

function byKey(one: string, other: string): number {
  return toResourceKey(one) < toResourceKey(other) ? -1 : 1;
}
