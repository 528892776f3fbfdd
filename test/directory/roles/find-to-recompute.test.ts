import { expect, it } from '@jest/globals';
import type { Group } from '../../../src/directory/resources/group.ts';
import { toRoleTable } from '../../../src/directory/roles/role-table.ts';
import { maxNoted } from '../../../src/directory/changes/find-to-recompute.ts';
import { newId } from '../../../src/ids.ts';
import { decide, mutationOf, storedGroup, storedUser } from '../../support/decide.ts';

const roleTable = toRoleTable({ groups: [{ groupName: 'Admins', role: 'admin' }] });
const membersOf = (group: Group, ...users: { id: string }[]) =>
  users.map(({ id }) => ({ groupId: group.id, memberId: id, kind: 'user' as const, display: null }));
const rename = (group: Group, displayName: string) => mutationOf({ kind: 'replaceGroup', resourceId: group.id, resource: { displayName } });
const toRecompute = async (group: Group, name: string) =>
  (await decide([rename(group, name)], { roleTable, groups: [group] })).writes.toRecompute;
const none = { users: [], membersOf: [], everyone: false };

it('notes nobody for a group that the table does not name, nor without a table', async () => {
  const ada = storedUser();
  const named = { userNames: [{ id: ada.id, userNameKey: ada.userName, externalId: null }] };
  const create = (displayName: string) =>
    mutationOf({ kind: 'createGroup', resourceId: newId(), resource: { displayName }, members: [{ value: ada.id }] });
  expect((await decide([create('Others')], { ...named, roleTable })).writes.toRecompute).toEqual(none);
  expect((await decide([create('Admins')], named)).writes.toRecompute).toEqual(none);
  expect((await decide([create('ADMINS')], { ...named, roleTable })).writes.toRecompute).toEqual({
    users: [ada.id],
    membersOf: [],
    everyone: false,
  });
});

it('notes the members of a group that is deleted, but not a user that is', async () => {
  const [group, ada, bob] = [storedGroup({ displayName: 'Admins' }), storedUser(), storedUser()];
  const held = { roleTable, groups: [group], users: [ada, bob], memberships: membersOf(group, ada, bob) };
  const deleteGroup = mutationOf({ kind: 'deleteGroup', resourceId: group.id });
  expect((await decide([deleteGroup], held)).writes.toRecompute.users.sort()).toEqual([ada.id, bob.id].sort());
  const deleteUser = mutationOf({ kind: 'deleteUser', resourceId: ada.id });
  expect((await decide([deleteUser], held)).writes.toRecompute).toEqual(none);
});

it('notes all members of a group that is renamed into a row or out of one, and of no other', async () => {
  const [admins, others] = [storedGroup({ displayName: 'Admins' }), storedGroup({ displayName: 'Others' })];
  expect(await toRecompute(admins, 'Former')).toEqual({ users: [], membersOf: [admins.id], everyone: false });
  expect(await toRecompute(others, 'admins')).toEqual({ users: [], membersOf: [others.id], everyone: false });
  expect(await toRecompute(admins, 'ADMINS')).toEqual(none);
  expect(await toRecompute(others, 'More')).toEqual(none);
});

it('notes whoever leaves a group that is renamed out of its row in the same request', async () => {
  const [group, ada] = [storedGroup({ displayName: 'Admins' }), storedUser()];
  const replace = mutationOf({ kind: 'replaceGroup', resourceId: group.id, resource: { displayName: 'Former' }, members: [] });
  const { writes } = await decide([replace], { roleTable, groups: [group], memberships: membersOf(group, ada) });
  expect(writes.toRecompute).toEqual({ users: [ada.id], membersOf: [group.id], everyone: false });
});

it('notes nobody, but concerns everyone, if a renamed group has very many members', async () => {
  const group = storedGroup({ displayName: 'Admins' });
  const renamed = (members: number) =>
    decide([rename(group, 'Former')], { roleTable, groups: [group], memberCounts: new Map([[group.id, members]]) });
  expect((await renamed(maxNoted)).writes.toRecompute).toEqual({ users: [], membersOf: [group.id], everyone: false });
  expect((await renamed(maxNoted + 1)).writes.toRecompute).toEqual({ users: [], membersOf: [], everyone: true });
});
