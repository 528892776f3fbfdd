import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { createJacksonDirectory, startTestJackson } from '../support/jackson.ts';
import { ada } from '../support/service.ts';

let jackson: Awaited<ReturnType<typeof startTestJackson>>;
const told: { event: string; data: { id: string } }[] = [];
beforeAll(async () => {
  jackson = await startTestJackson({ dsync: { callback: async (event) => void told.push(event) } });
});
afterAll(() => jackson.stop());

async function start() {
  const created = await createJacksonDirectory(jackson);
  const { tenant, product } = created;
  const { users, groups } = jackson.controller;
  return { ...created, users: users.setTenantAndProduct(tenant, product), groups: groups.setTenantAndProduct(tenant, product) };
}

const grace = { email: 'grace@example.com', first_name: 'Grace', last_name: 'Hopper', active: true };

it('creates a user as it is given, with its own ID, and tells it', async () => {
  const { users, directory } = await start();
  const user = { id: 'g-1', ...grace, roles: ['admin'], raw: { userName: 'ghopper', nickName: 'Amazing', roles: ['admin'] } };
  const created = await users.create({ directoryId: directory.id, ...user });
  const expected = { ...user, directoryId: directory.id, raw: { ...user.raw, id: 'g-1' } };
  const times = { created_at: expect.any(String), updated_at: expect.any(String) };
  expect(created).toEqual({ data: { ...expected, idp_id: null, user_name: 'ghopper', state: 'active', ...times }, error: null });
  expect(await users.get('g-1')).toEqual(created);
  expect(told.filter(({ data }) => data.id === 'g-1').map(({ event }) => event)).toEqual(['user.created']);
});

it('lists users and groups newest first, whatever their IDs', async () => {
  const { users, groups, directory, push } = await start();
  const create = async (name: string) => {
    const user = { ...grace, email: name, raw: { userName: name } };
    if (name === 'pushed') await push('POST', 'Users', { userName: name });
    else await users.create({ directoryId: directory.id, ...user, id: name });
    if (name === 'pushed') await push('POST', 'Groups', { displayName: name });
    else await groups.create({ directoryId: directory.id, id: `of ${name}`, name, raw: { displayName: name } });
  };
  const names = [
    '00000000-0000-4000-8000-000000000000',
    'ffffffff-ffff-7fff-8fff-ffffffffffff',
    'g-1',
    'pushed',
    'g-0',
    'ffffffff-ffff-4fff-8fff-ffffffffffff',
    'g-2',
  ];
  for (const name of names) await create(name);
  const newest = names.toReversed();
  expect((await users.getAll()).data!.map(({ email }) => email)).toEqual(newest);
  expect((await groups.getAll()).data!.map(({ name }) => name)).toEqual(newest);
  expect((await users.getAll({ pageOffset: 2, pageLimit: 3 })).data!.map(({ email }) => email)).toEqual(newest.slice(2, 5));
});

it.each([2, 20_000, 40_000])('lists and finds a user and a group with a UUID of version 7 from %p days ahead', async (days) => {
  const { users, groups, directory } = await start();
  const [id, groupId] = [newId(Date.now() + days * 86_400_000), newId(Date.now() + days * 86_400_000)];
  await users.create({ directoryId: directory.id, ...grace, id, raw: { userName: 'ghopper' } });
  await groups.create({ directoryId: directory.id, id: groupId, name: 'Engines', raw: { displayName: 'Engines' } });
  await groups.addUserToGroup(groupId, id);
  expect((await users.getAll()).data).toMatchObject([{ id }]);
  expect((await groups.getAll()).data).toMatchObject([{ id: groupId }]);
  expect((await users.get(id)).data).toMatchObject({ id });
  expect((await groups.getGroupMembers({ groupId })).data).toEqual([{ user_id: id }]);
});

it('replaces and deletes a user', async () => {
  const { users, directory } = await start();
  const { data } = await users.create({ directoryId: directory.id, ...grace, raw: { userName: 'ghopper' } });
  const changed = { ...grace, first_name: 'Grace M.', active: false, raw: { userName: 'ghopper', title: 'Rear admiral' } };
  expect(await users.update(data!.id, changed)).toMatchObject({ data: { ...changed, id: data!.id }, error: null });
  expect(await users.delete(data!.id)).toEqual({ data: null, error: null });
  expect(await users.delete(data!.id)).toEqual({ data: null, error: { code: 404, message: 'User not found' } });
  expect(await users.update(data!.id, changed)).toMatchObject({ error: { code: 404 } });
});

it('rejects a user that exists, an ID that cannot exist, and a directory that does not', async () => {
  const { users, directory } = await start();
  const user = { directoryId: directory.id, ...grace, raw: { userName: 'ghopper' } };
  await users.create({ ...user, id: 'g-1' });
  expect(await users.create({ ...user, id: 'g-1' })).toMatchObject({ error: { code: 409 } });
  expect(await users.create(user)).toMatchObject({ error: { code: 409 } });
  expect(await users.create({ ...user, id: 'g/2' })).toMatchObject({ error: { code: 400 } });
  expect(await users.create({ ...user, directoryId: 'nothing' })).toMatchObject({ error: { code: 404 } });
  expect(await users.create({ ...user, directoryId: '0199c9f4-0000-7000-8000-000000000000' })).toMatchObject({ error: { code: 404 } });
});

it('creates, renames and deletes a group, and keeps its members while it is renamed', async () => {
  const { groups, push, directory } = await start();
  const { data: user } = await push('POST', 'Users', ada);
  const { data: group } = await groups.create({ directoryId: directory.id, name: 'Engines', raw: { displayName: 'Engines', note: 1 } });
  expect(group).toMatchObject({ name: 'Engines', raw: { id: group!.id, displayName: 'Engines', note: 1, members: [] } });
  await groups.addUserToGroup(group!.id, user.id);
  expect(await groups.update(group!.id, { name: 'Motors', raw: { displayName: 'Motors' } })).toMatchObject({ data: { name: 'Motors' } });
  expect(await groups.isUserInGroup(group!.id, user.id)).toBe(true);
  expect(await groups.getGroupMembersCount(group!.id)).toBe(1);
  await groups.removeUserFromGroup(group!.id, user.id);
  expect(await groups.isUserInGroup(group!.id, user.id)).toBe(false);
  await groups.addUserToGroup(group!.id, user.id);
  await groups.removeAllUsers(group!.id);
  expect(await groups.getGroupMembers({ groupId: group!.id })).toEqual({ data: [], error: null });
  expect(await groups.delete(group!.id)).toEqual({ data: null, error: null });
  const missing = { code: 404, message: `Group with id ${group!.id} not found.` };
  expect(await groups.delete(group!.id)).toEqual({ data: null, error: missing });
  expect(await groups.get(group!.id)).toEqual({ data: null, error: missing });
  await expect(groups.addUserToGroup(group!.id, user.id)).rejects.toThrow(missing.message);
});

it('deletes all users and groups of one directory only', async () => {
  const { users, groups, push, directory, tenant, product } = await start();
  for (let index = 0; index < 60; index += 1) await push('POST', 'Users', { userName: `user-${index}@example.com` });
  await push('POST', 'Groups', { displayName: 'Engines' });
  const other = await createJacksonDirectory(jackson, { tenant, product });
  await other.push('POST', 'Users', ada);
  await users.deleteAll(directory.id);
  await groups.deleteAll(directory.id);
  expect(await groups.getAll()).toEqual({ data: [], error: null });
  expect((await users.getAll()).data!.map(({ email }) => email)).toEqual([ada.userName]);
});

it('finds nothing to write in the directories of another tenant', async () => {
  const [mine, theirs] = [await start(), await start()];
  const { data: user } = await theirs.push('POST', 'Users', ada);
  const { data: group } = await theirs.push('POST', 'Groups', { displayName: 'Engines' });
  expect(await mine.users.delete(user.id)).toMatchObject({ error: { code: 404 } });
  expect(await mine.groups.delete(group.id)).toMatchObject({ error: { code: 404 } });
  await expect(mine.groups.addUserToGroup(group.id, user.id)).rejects.toThrow('not found');
  await mine.users.deleteAll(theirs.directory.id);
  await mine.groups.deleteAll(theirs.directory.id);
  expect((await theirs.users.getAll()).data).toHaveLength(1);
  expect((await theirs.groups.getAll()).data).toHaveLength(1);
});

it('creates and logs nothing in a directory of another tenant, as if it did not exist', async () => {
  const [mine, theirs] = [await start(), await start()];
  const logs = jackson.controller.webhookLogs.setTenantAndProduct(mine.tenant, mine.product);
  const unknown = '0199c9f4-0000-7000-8000-000000000000';
  const create = async (directoryId: string) => [
    await mine.users.create({ directoryId, ...grace, raw: { userName: 'ghopper' } }),
    await mine.groups.create({ directoryId, name: 'Engines', raw: { displayName: 'Engines' } }),
    await logs.log({ id: directoryId, webhook: { endpoint: 'https://hook.example', secret: '' } }, [], 200).catch(String),
  ];
  const answers = await create(unknown);
  const missing = { data: null, error: { code: 404 } };
  expect(answers).toMatchObject([missing, missing, expect.stringContaining('no such directory')]);
  expect(await create(theirs.directory.id)).toEqual(answers);
  expect(await theirs.users.getAll()).toEqual({ data: [], error: null });
  expect(await theirs.groups.getAll()).toEqual({ data: [], error: null });
});

it('remembers the directory of the last request, as Polis does, while it is the only one', async () => {
  const own = await startTestJackson();
  try {
    const { push } = await createJacksonDirectory(own);
    const { data: group } = await push('POST', 'Groups', { displayName: 'Engines' });
    expect(await own.controller.groups.delete(group.id)).toEqual({ data: null, error: null });
    const other = await createJacksonDirectory(own);
    const { data: later } = await other.push('POST', 'Groups', { displayName: 'Engines' });
    expect(await own.controller.groups.delete(later.id)).toMatchObject({ error: { code: 400 } });
  } finally {
    await own.stop();
  }
});
