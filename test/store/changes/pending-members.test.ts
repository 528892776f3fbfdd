import { expect, it } from '@jest/globals';
import type { Change, Mutation } from '../../../src/directory/changes/mutation.ts';
import { idOf, setUpGroupChanges, versions } from '../../support/group-changes.ts';
import { statusOf } from '../../support/status-of.ts';

const { directory, add, apply, membersOf, mutate, newGroup, newUser, remove, emitted } = setUpGroupChanges();

it('keeps an unknown member pending, and adds it when it is created, by ID, external ID or user name', async () => {
  const late = newUser('late@example.com', { externalId: 'X-1' });
  const groups = [newGroup('byId', [idOf(late)]), newGroup('byExternalId', ['X-1']), newGroup('byName', ['LATE@example.com'])];
  await apply(...groups);
  expect(await membersOf(idOf(groups[2]!))).toEqual(['LATE@example.com']);
  const [outcome] = await apply(late);
  expect(outcome).toMatchObject({ version: 1, wasPending: true });
  for (const group of groups) expect(await membersOf(idOf(group))).toEqual([idOf(late)]);
  expect((await emitted()).slice(3)).toEqual([
    'user.created late@example.com',
    'group.user_added late@example.com byId',
    'group.user_added late@example.com byName',
    'group.user_added late@example.com byExternalId',
  ]);
  expect(await directory.db('pending_members').where({ directory_id: directory.id })).toEqual([]);
});

it('removes a pending member, and never adds one twice', async () => {
  const staff = newGroup('staff', ['nobody']);
  await apply(staff);
  expect(versions(await apply(add(idOf(staff), 'NOBODY'), remove(idOf(staff), 'nobody'), remove(idOf(staff), 'nobody')))).toEqual([
    1, 2, 2,
  ]);
  expect(await membersOf(idOf(staff))).toEqual([]);
  expect(await emitted()).toEqual(['group.created staff']);
});

it('removes a pending member whose name the group itself has taken', async () => {
  const staff = newGroup('staff', ['X-1', 'X-2']);
  await apply(staff);
  await apply(mutate({ kind: 'replaceGroup', resourceId: idOf(staff), resource: { displayName: 'staff', externalId: 'X-1' } }));
  expect(await membersOf(idOf(staff))).toEqual(['X-2']);
  expect(await emitted()).toEqual(['group.created staff', 'group.updated staff']);
});

it.each(['before', 'after'])('adds a member only once under a name that it takes right %s', async (order) => {
  const ada = newUser('ada');
  const staff = newGroup('staff', [idOf(ada)]);
  await apply(ada, staff);
  const rename = mutate({ kind: 'replaceUser', resourceId: idOf(ada), resource: { userName: 'countess' } });
  const named = add(idOf(staff), 'countess');
  await apply(...(order === 'before' ? [rename, named] : [named, rename]));
  expect(await membersOf(idOf(staff))).toEqual([idOf(ada)]);
  expect(await directory.db('pending_members').where({ directory_id: directory.id })).toEqual([]);
});

it('adds a nested group only once if it is added under an external ID that it takes in the same change', async () => {
  const crew = newGroup('crew');
  const staff = newGroup('staff', [idOf(crew)]);
  await apply(crew, staff);
  const rename = mutate({ kind: 'replaceGroup', resourceId: idOf(crew), resource: { displayName: 'crew', externalId: 'X-1' } });
  await apply(rename, add(idOf(staff), 'X-1'));
  expect(await membersOf(idOf(staff))).toEqual([idOf(crew)]);
});

it('adds a member only once under its external ID in different case, while another attribute of it changes', async () => {
  const ada = newUser('ada', { externalId: 'ABC' });
  const crew = newGroup('crew', [], { externalId: 'DEF' });
  const staff = newGroup('staff', [idOf(ada), idOf(crew)]);
  await apply(ada, crew, staff);
  const changed = mutate({
    kind: 'patchUser',
    resourceId: idOf(ada),
    operations: [{ op: 'replace', target: { path: { attribute: 'active' } }, value: false }],
  });
  expect(versions(await apply(add(idOf(staff), 'abc', 'def'), changed, add(idOf(crew), 'nobody')))).toEqual([2, 2, 2]);
  expect(await membersOf(idOf(staff))).toEqual([idOf(ada), idOf(crew), 'abc', 'def']);
});

it('compares what pending members name as it compares it for those that exist: only user names in any case', async () => {
  const members = ['x-1', 'LATE', 'y-1'];
  const [early, late] = [newGroup('early', members), newGroup('late', members)];
  const user = newUser('late', { externalId: 'X-1' });
  const crew = newGroup('crew', [], { externalId: 'Y-1' });
  await apply(early);
  await apply(user, crew);
  await apply(late);
  const joined = [idOf(user), 'x-1', 'y-1'];
  for (const group of [early, late]) expect(await membersOf(idOf(group))).toEqual(joined);
  // The user that has this external ID is another one.
  const other = newUser('other', { externalId: 'x-1' });
  await apply(other);
  for (const group of [early, late]) expect(await membersOf(idOf(group))).toEqual([idOf(user), idOf(other), 'y-1']);
  const renamed = mutate({ kind: 'replaceGroup', resourceId: idOf(crew), resource: { displayName: 'crew', externalId: 'y-1' } });
  await apply(renamed);
  for (const group of [early, late]) expect(await membersOf(idOf(group))).toEqual([idOf(user), idOf(other), idOf(crew)]);
});

it.each([
  ['rejected', undefined],
  ['not started', 1],
  ['rejected as unreadable', undefined],
])('does not keep a member pending whose create was %s in the same Bulk request', async (fate, failOnErrors) => {
  await apply(newGroup('taken'));
  const crew = newGroup('taken') as Change;
  const staff = newGroup('staff', [crew.resourceId]) as Change;
  const bad = { index: 1, isInvalid: true };
  const operations = [
    { index: 0, dependsOn: [2], change: staff },
    ...(fate === 'not started' ? [bad] : []),
    fate === 'rejected as unreadable' ? { ...bad, index: 2 } : { index: 2, dependsOn: [0], change: crew },
  ];
  const [outcome] = await apply(mutate({ kind: 'bulk', operations, failOnErrors } as unknown as Change));
  const isMade = fate !== 'rejected as unreadable';
  expect(statusOf(outcome!.results![0]!)).toBe(isMade ? undefined : 400);
  expect(await membersOf(idOf(staff as Mutation))).toEqual(isMade ? [] : undefined);
  expect(await directory.db('pending_members').where({ directory_id: directory.id })).toEqual([]);
});

it('adds a member only once if it takes a name that is pending in its own group', async () => {
  const ada = newUser('ada');
  const staff = newGroup('staff', ['lovelace', 'ada']);
  await apply(ada, staff);
  const [outcome] = await apply(mutate({ kind: 'replaceUser', resourceId: idOf(ada), resource: { userName: 'lovelace' } }));
  expect(outcome).toMatchObject({ version: 2 });
  expect(await membersOf(idOf(staff))).toEqual([idOf(ada)]);
  expect(await emitted()).toEqual(['user.created ada', 'group.created staff', 'group.user_added ada staff', 'user.updated lovelace']);
});
