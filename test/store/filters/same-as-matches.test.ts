import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../../src/ids.ts';
import { matches } from '../../../src/scim/filter/matches.ts';
import { parseFilter } from '../../../src/scim/filter/parse-filter.ts';
import { groupType, userType } from '../../../src/scim/schema/resource-types.ts';
import { anyFilterText, date, groupDocument, someIds, userDocument, word } from '../../scim/filter/arbitraries.ts';
import { cloneDatabase } from '../../support/database.ts';
import { createDirectory, idsOf, showGroup, showUser, storeGroups, storeUsers, type Stored, type StoredGroup } from './fixture.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const [userIds, groupIds] = [someIds.slice(0, 5), someIds.slice(5)];
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
      const attached = fc.subarray(someIds.filter((other) => other !== id));
      const parked = fc.uniqueArray(fc.constantFrom('a', 'Ab', 'é', '😀', someIds[0]!.toUpperCase()));
      return fc
        .tuple(assigned, groupDocument, word, fc.option(word, { nil: undefined }), attached, parked, fc.option(word, { nil: undefined }))
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

it('finds in Postgres what the filter means in memory', async () => {
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
    { numRuns: 40, endOnFailure: true },
  );
  expect(foundSome).toBeGreaterThan(100);
}, 60_000);

async function fillDirectory() {
  const directoryId = await createDirectory(database.db);
  const [user, group] = [newId(), newId()];
  await storeUsers(database.db, directoryId, [{ id: user, resource: { userName: 'ada', emails: [{ value: 'a@b' }] } }]);
  await storeGroups(database.db, directoryId, [{ id: group, resource: { displayName: 'g' }, members: [{ value: user, type: 'User' }] }]);
  return { directoryId, user, group };
}

it('is about one directory, though another has the same', async () => {
  const [one, other] = [await fillDirectory(), await fillDirectory()];
  const find = (text: string, type: 'User' | 'Group') => idsOf(database.db, one.directoryId, { text, type });
  for (const text of ['userName eq "ada"', 'emails eq "a@b"', 'emails[value eq "a@b"]', 'groups.display eq "g"'])
    expect(await find(text, 'User')).toEqual([one.user]);
  expect(await find(`members eq "${one.user}"`, 'Group')).toEqual([one.group]);
  expect(await find(`groups.value eq "${one.group}"`, 'User')).toEqual([one.user]);
  expect(await find(`members eq "${other.user}"`, 'Group')).toEqual([]);
  expect(await find(`groups.value eq "${other.group}"`, 'User')).toEqual([]);
});
