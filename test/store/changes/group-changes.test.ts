import { expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { createGroupStore } from '../../../src/store/groups/group-store.ts';
import { idOf, setUpGroupChanges, versions } from '../../support/group-changes.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';
import type { MemberChange } from '../../../src/scim/patch/operation.ts';

const { directory, add, apply, drop, membersOf, mutate, newGroup, newUser, remove, emitted } = setUpGroupChanges();

it('stores members as rows, emits each change once, and emits nothing if nothing changes', async () => {
  const [ada, ben, staff] = [newUser('ada'), newUser('ben'), newGroup('staff')];
  await apply(ada, ben, staff);
  const outcomes = await apply(
    add(idOf(staff), idOf(ada), idOf(ben)),
    add(idOf(staff), idOf(ada)),
    remove(idOf(staff), idOf(ben)),
    remove(idOf(staff), idOf(ben)),
  );
  expect(versions(outcomes)).toEqual([2, 2, 3, 3]);
  expect(await membersOf(idOf(staff))).toEqual([idOf(ada)]);
  expect((await emitted()).slice(3)).toEqual(['group.user_added ada staff', 'group.user_added ben staff', 'group.user_removed ben staff']);
});

it('emits the difference after a request, not the intermediate steps', async () => {
  const [ada, ben] = [newUser('ada'), newUser('ben')];
  const staff = newGroup('staff', [idOf(ada)]);
  await apply(ada, ben, staff);
  const before = (await emitted()).length;
  const patch = (...members: MemberChange[]) => mutate({ kind: 'patchGroup', resourceId: idOf(staff), operations: [], members });
  const outcomes = await apply(
    patch({ kind: 'remove', values: [idOf(ada)] }, { kind: 'add', members: [{ value: idOf(ada) }] }),
    patch({ kind: 'add', members: [{ value: idOf(ben) }, { value: 'late' }] }, { kind: 'remove', values: ['late', idOf(ben)] }),
    patch({ kind: 'replace', members: [] }, { kind: 'add', members: [{ value: idOf(ben) }] }),
  );
  expect(versions(outcomes)).toEqual([1, 1, 2]);
  expect((await emitted()).slice(before)).toEqual(['group.user_removed ada staff', 'group.user_added ben staff']);
});

it('finds a member by an external ID that looks like a resource ID', async () => {
  const externalId = newId();
  await apply(newUser('ada', { externalId }));
  const staff = newGroup('staff', [externalId]);
  await apply(staff);
  expect(await membersOf(idOf(staff))).not.toEqual([externalId]);
  expect(versions(await apply(remove(idOf(staff), externalId)))).toEqual([2]);
  expect(await membersOf(idOf(staff))).toEqual([]);
});

it('writes a large group once, however many members are added', async () => {
  const users = Array.from({ length: 500 }, (_, index) => newUser(`u${index}`));
  const staff = newGroup('staff', [], { note: 'x'.repeat(200_000) });
  await apply(...users, staff);
  const before = process.memoryUsage().rss;
  expect(versions(await apply(add(idOf(staff), ...users.map(idOf))))).toEqual([2]);
  expect((process.memoryUsage().rss - before) / 1_048_576).toBeLessThan(100);
});

it('writes the same event for a member that was not read', async () => {
  const ada = newUser('ada', { name: { givenName: 'Ada', familyName: 'L' }, emails: [{ value: 'a@x', primary: true }], active: false });
  const [staff, crew] = [newGroup('staff', [idOf(ada)]), newGroup('crew')];
  await apply(ada, staff, crew);
  await apply(add(idOf(crew), idOf(ada)));
  const [read, filled] = await directory
    .db('events')
    .where({ directory_id: directory.id, type: 'group.user_added' })
    .orderBy('sequence')
    .pluck('data');
  expect(filled).toEqual({
    ...read,
    group: { ...read.group, id: idOf(crew), name: 'crew', raw: { displayName: 'crew', id: idOf(crew), members: [] } },
  });
});

it('emits the new name and the removed and added members of a replaced group', async () => {
  const [ada, ben, eve] = [newUser('ada'), newUser('ben'), newUser('eve')];
  const staff = newGroup('staff', [idOf(ada), idOf(ben)]);
  await apply(ada, ben, eve, staff);
  const replaceGroup = (displayName: string, members?: string[]) =>
    mutate({
      kind: 'replaceGroup',
      resourceId: idOf(staff),
      resource: { displayName },
      ...(members && { members: members.map((value) => ({ value })) }),
    });
  const before = (await emitted()).length;
  expect(
    versions(await apply(replaceGroup('crew', [idOf(ben), idOf(eve)]), replaceGroup('crew', [idOf(eve), idOf(ben)]), replaceGroup('crew'))),
  ).toEqual([2, 2, 2]);
  expect((await emitted()).slice(before)).toEqual(['group.updated crew', 'group.user_removed ada crew', 'group.user_added eve crew']);
});

it('removes a user from all groups before it is deleted', async () => {
  const ada = newUser('ada');
  const [staff, crew] = [newGroup('staff', [idOf(ada)]), newGroup('crew', [idOf(ada)])];
  await apply(ada, staff, crew);
  const before = (await emitted()).length;
  await apply(drop('deleteUser', idOf(ada)));
  expect((await emitted()).slice(before)).toEqual(['group.user_removed ada staff', 'group.user_removed ada crew', 'user.deleted ada']);
  expect(await directory.db('group_members').where({ directory_id: directory.id })).toEqual([]);
  expect(await createGroupStore(unlimitedReads(directory.db)).get(directory.id, idOf(staff))).toMatchObject({ version: 2 });
});

it('emits nested groups of a new group, and those that are added later', async () => {
  const [ada, inner] = [newUser('ada'), newGroup('inner')];
  await apply(ada, inner);
  const [made, later] = [newGroup('made', [idOf(inner), idOf(ada)]), newGroup('later')];
  await apply(made);
  await apply(later);
  await apply(add(idOf(later), idOf(inner), idOf(ada)));
  const ofMade = ['group.created made', 'group.updated made', 'group.user_added ada made'];
  expect((await emitted()).slice(2)).toEqual([...ofMade, ...ofMade.map((text) => text.replace('made', 'later').replace(/made$/, 'later'))]);
});

it('rejects a group as its own member, by any of its names, and changes nothing', async () => {
  const [ada, staff] = [newUser('ada', { externalId: 'X-2' }), newGroup('staff', [], { externalId: 'X-1' })];
  const self = newId();
  await apply(ada, staff);
  const before = await emitted();
  const id = idOf(staff);
  const replace = (externalId: string, ...values: string[]) =>
    mutate({
      kind: 'replaceGroup',
      resourceId: id,
      resource: { displayName: 'staff', externalId },
      members: values.map((value) => ({ value })),
    });
  const outcomes = await apply(
    mutate({ kind: 'createGroup', resourceId: self, resource: { displayName: 'self' }, members: [{ value: self }] }),
    newGroup('self', ['Self-1'], { externalId: 'self-1' }),
    add(id, idOf(ada), id.toUpperCase()),
    add(id, 'X-1'),
    replace('X-1', id),
    replace('X-3', 'X-1'),
    replace('X-3', 'X-3'),
  );
  expect(outcomes.map(({ error }) => error)).toEqual(outcomes.map(() => expect.objectContaining({ code: 'self_membership' })));
  expect(outcomes[0]!.error!.detail).toMatch(/member of itself.*out of members/);
  expect(await emitted()).toEqual(before);
  expect(await directory.db('pending_members').where({ directory_id: directory.id })).toEqual([]);
  // A user has this name too, and is found first.
  expect(versions(await apply(replace('X-2', 'X-2'), remove(id, id)))).toEqual([2, 2]);
  expect(await membersOf(id)).toEqual([idOf(ada)]);
});

it('allows groups to be members of each other', async () => {
  const inner = newGroup('inner');
  const outer = newGroup('outer', [idOf(inner)]);
  expect(versions(await apply(inner, outer, add(idOf(inner), idOf(outer))))).toEqual([1, 1, 2]);
});

it('removes all members before a group is deleted, also from a nested group', async () => {
  const ada = newUser('ada');
  const inner = newGroup('inner', [idOf(ada)]);
  const outer = newGroup('outer', [idOf(inner)]);
  await apply(ada, inner, outer);
  const before = (await emitted()).length;
  await apply(drop('deleteGroup', idOf(inner)));
  expect((await emitted()).slice(before)).toEqual(['group.user_removed ada inner', 'group.updated outer', 'group.deleted inner']);
  expect(await membersOf(idOf(outer))).toEqual([]);
});

it('updates the numbers of users and groups with each change', async () => {
  const [ada, ben, staff] = [newUser('ada'), newUser('ben'), newGroup('staff')];
  await apply(ada, ben, staff);
  await apply(drop('deleteUser', idOf(ada)), newUser('BEN'));
  expect(await directory.db('directories').where({ id: directory.id }).first()).toMatchObject({ user_count: 1, group_count: 1 });
});
