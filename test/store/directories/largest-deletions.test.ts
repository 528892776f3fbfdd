import { expect, it } from '@jest/globals';
import { defaultQuotas } from '../../../src/directory/quotas.ts';
import { idOf, setUpGroupChanges } from '../../support/group-changes.ts';
import { createManyUsers } from '../../support/create-many-users.ts';
import { addAllUsers, storeUserInGroups } from '../../support/memberships.ts';

const { directory, apply, newUser, newGroup, drop } = setUpGroupChanges();
const countEvents = async (type: string) =>
  (await directory.db('events').where({ directory_id: directory.id, type }).count<{ count: number }[]>('* as count'))[0]!.count;

it('the largest group that the default quotas allow can be deleted within the default budget', async () => {
  const group = newGroup('everybody');
  await apply(group);
  await createManyUsers(directory.db, directory.id, defaultQuotas.groupMembers);
  await addAllUsers(directory.db, directory.id, idOf(group));
  const [outcome] = await apply(drop('deleteGroup', idOf(group)));
  expect(outcome!.error).toBeUndefined();
  expect(await directory.db('groups').where({ directory_id: directory.id })).toEqual([]);
  expect([await countEvents('group.user_removed'), await countEvents('group.deleted')]).toEqual([defaultQuotas.groupMembers, 1]);
}, 240_000);

it('a user who is in as many groups as the default quotas allow can be deleted within the default budget', async () => {
  const user = newUser('ada');
  await apply(user);
  await storeUserInGroups(directory.db, directory.id, { userId: idOf(user), groups: defaultQuotas.groupsPerMember, letter: '語' });
  const [outcome] = await apply(drop('deleteUser', idOf(user)));
  expect(outcome!.error).toBeUndefined();
  expect(await directory.db('users').where({ directory_id: directory.id })).toEqual([]);
  expect(await directory.db('group_members').where({ directory_id: directory.id })).toEqual([]);
  expect([await countEvents('group.user_removed'), await countEvents('user.deleted')]).toEqual([defaultQuotas.groupsPerMember, 1]);
}, 240_000);
