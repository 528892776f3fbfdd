import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { addMember, patch, push, readBoth } from '../support/inactive-users.ts';
import { readTold, rolesOf, rolesPath, setRoles, untilRolesComputed } from '../support/roles.ts';
import { ada, shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const table = {
  groups: [
    { group_name: 'Admins', role: 'admin' },
    { group_name: 'Staff', role: 'member' },
  ],
};
const create = () => service.createDirectory({ type: 'okta-scim-v2' });
const person = (name: string, more: object = {}) => ({ userName: `${name}@acme.example`, ...more });
const team = (directory: TestDirectory, displayName: string, ...ids: string[]) =>
  push(directory, '/Groups', { displayName, members: ids.map((value) => ({ value })) });
const removeMember = (directory: TestDirectory, group: string, id: string) =>
  patch(directory, `/Groups/${group}`, { op: 'remove', path: `members[value eq "${id}"]` });

it('shows no role without a table, and the pushed roles as they were', async () => {
  const directory = await create();
  const id = await push(directory, '/Users', { ...ada, roles: 'admin,editor' });
  expect(await rolesOf(service, directory.id, id)).toEqual([undefined, ['admin', 'editor']]);
  const { body } = await service.api('GET', rolesPath(directory.id));
  expect(body.data).toEqual({
    is_set: false,
    groups: [],
    default_role: null,
    multiple: false,
    pushed_roles: 'include',
    recompute: null,
  });
});

it('tells each user whose role a table changes once, with the reason mapping, and no other', async () => {
  const directory = await create();
  const [one, two, three] = [
    await push(directory, '/Users', person('one')),
    await push(directory, '/Users', person('two')),
    await push(directory, '/Users', person('three')),
  ];
  await team(directory, 'ADMINS', one);
  await team(directory, 'Staff', one, two);
  const before = (await readTold(service, directory.id)).length;
  const { meta } = (await directory.scim('GET', `/Users/${one}`)).body;
  await setRoles(service, directory.id, table);
  const told = await readTold(service, directory.id, before);
  expect(told.map(({ event, reason, changes, data }) => [event, reason, changes, data.id, data.role, data.roles])).toEqual([
    ['user.updated', 'mapping', ['role', 'roles'], one, 'admin', ['admin']],
    ['user.updated', 'mapping', ['role', 'roles'], two, 'member', ['member']],
  ]);
  expect(told[0]!.previous_attributes).toEqual({ role: null, roles: null });
  expect(await rolesOf(service, directory.id, three)).toEqual([null, []]);
  // The resource that the identity provider knows is the same.
  expect((await directory.scim('GET', `/Users/${one}`)).body.meta).toEqual(meta);
  const { recompute } = (await service.api('GET', rolesPath(directory.id))).body.data;
  await setRoles(service, directory.id, table);
  expect((await service.api('GET', rolesPath(directory.id))).body.data.recompute).toEqual(recompute);
  expect(await readTold(service, directory.id, before)).toHaveLength(2);
});

it('shows the groups of the rows, by name and by ID, the strongest first', async () => {
  const directory = await create();
  const group = await team(directory, 'Staff');
  const rows = [
    { group_name: 'Later', role: 'a', priority: 20 },
    { group_id: group, role: 'b', priority: 10 },
  ];
  const { body } = await service.api('PUT', rolesPath(directory.id), { groups: rows, default_role: 'guest', multiple: true });
  expect(body.data).toMatchObject({
    is_set: true,
    groups: [
      { group_id: group, group_name: null, role: 'b', priority: 10, group: { id: group, name: 'Staff' } },
      { group_id: null, group_name: 'Later', role: 'a', priority: 20, group: null },
    ],
    default_role: 'guest',
    multiple: true,
    pushed_roles: 'ignore',
    recompute: { state: expect.any(String) },
  });
});

it('gives a new user the default role, and tells the role of a group in an event of its own after the membership', async () => {
  const directory = await create();
  await setRoles(service, directory.id, { ...table, default_role: 'guest' });
  const id = await push(directory, '/Users', person('one'));
  const group = await team(directory, 'Admins', id);
  await untilRolesComputed(service, directory.id);
  await removeMember(directory, group, id);
  await untilRolesComputed(service, directory.id);
  expect((await readTold(service, directory.id)).map(({ event, reason, data }) => [event, reason, data.role])).toEqual([
    ['user.created', 'scim', 'guest'],
    ['group.created', 'scim', undefined],
    ['group.user_added', 'scim', 'guest'],
    ['user.updated', 'mapping', 'admin'],
    ['group.user_removed', 'scim', 'admin'],
    ['user.updated', 'mapping', 'guest'],
  ]);
});

it('keeps the role when the user changes, and when it joins a group that the table does not name', async () => {
  const directory = await create();
  await setRoles(service, directory.id, table);
  const id = await push(directory, '/Users', person('one'));
  await team(directory, 'Admins', id);
  await untilRolesComputed(service, directory.id);
  const requested = async () => (await service.api('GET', rolesPath(directory.id))).body.data.recompute.id;
  const before = [await requested(), (await readTold(service, directory.id)).length];
  await patch(directory, `/Users/${id}`, { op: 'replace', path: 'title', value: 'Countess' });
  await team(directory, 'Others', id);
  const [updated, , added] = await readTold(service, directory.id, before[1] as number);
  expect([updated, added]).toMatchObject([
    { event: 'user.updated', reason: 'scim', changes: ['raw'], data: { role: 'admin', roles: ['admin'] } },
    { event: 'group.user_added', data: { role: 'admin' } },
  ]);
  expect(await requested()).toBe(before[0]);
});

it('follows a group that is renamed, deleted or created, and a pending member that arrives', async () => {
  const directory = await create();
  await setRoles(service, directory.id, table);
  const [one, two] = [await push(directory, '/Users', person('one')), await push(directory, '/Users', person('two'))];
  const group = await team(directory, 'Former', one, two);
  const roles = async (...ids: string[]) => {
    await untilRolesComputed(service, directory.id);
    return Promise.all(ids.map(async (id) => (await rolesOf(service, directory.id, id))[0]));
  };
  expect(await roles(one, two)).toEqual([null, null]);
  await patch(directory, `/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'admins' });
  expect(await roles(one, two)).toEqual(['admin', 'admin']);
  const staff = await team(directory, 'Staff', two, 'three@acme.example');
  await patch(directory, `/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'Former' });
  const three = await push(directory, '/Users', person('three'));
  expect(await roles(one, two, three)).toEqual([null, 'member', 'member']);
  await directory.scim('DELETE', `/Groups/${staff}`);
  expect(await roles(one, two, three)).toEqual([null, null, null]);
});

it('counts pushed roles if the table includes them, when they are pushed', async () => {
  const directory = await create();
  await setRoles(service, directory.id, { ...table, multiple: true, pushed_roles: 'include', default_role: 'guest' });
  const id = await push(directory, '/Users', person('one', { roles: [{ value: 'reader' }] }));
  expect(await rolesOf(service, directory.id, id)).toEqual(['reader', ['reader']]);
  await team(directory, 'Staff', id);
  await untilRolesComputed(service, directory.id);
  expect(await rolesOf(service, directory.id, id)).toEqual(['member', ['member', 'reader']]);
  await patch(directory, `/Users/${id}`, { op: 'remove', path: 'roles' });
  expect(await rolesOf(service, directory.id, id)).toEqual(['member', ['member']]);
});

it('gives the pushed roles back when the table is removed, and tells it', async () => {
  const directory = await create();
  const id = await push(directory, '/Users', person('one', { roles: ['pushed'] }));
  await team(directory, 'Admins', id);
  await setRoles(service, directory.id, table);
  expect(await rolesOf(service, directory.id, id)).toEqual(['admin', ['admin']]);
  const { status, body } = await service.api('DELETE', rolesPath(directory.id));
  expect([status, body.data.is_set]).toEqual([200, false]);
  await untilRolesComputed(service, directory.id);
  expect(await rolesOf(service, directory.id, id)).toEqual([undefined, ['pushed']]);
  const last = (await readTold(service, directory.id)).at(-1);
  expect(last).toMatchObject({ reason: 'mapping', previous_attributes: { role: 'admin', roles: ['admin'] }, data: { roles: ['pushed'] } });
  expect(await service.db('users').where({ directory_id: directory.id }).select('group_roles', 'roles')).toEqual([
    { group_roles: null, roles: null },
  ]);
});

it('does not tell an inactive user that is hidden, and shows its role when it comes back', async () => {
  const directory = await service.createDirectory({ type: 'okta-scim-v2', inactive_users: 'delete' });
  await setRoles(service, directory.id, table);
  const id = await push(directory, '/Users', person('one', { active: false }));
  const group = await team(directory, 'Admins', id);
  await untilRolesComputed(service, directory.id);
  expect((await readTold(service, directory.id)).map(({ event }) => event)).toEqual(['group.created']);
  await patch(directory, `/Users/${id}`, { op: 'replace', path: 'active', value: true });
  expect((await readTold(service, directory.id, 1)).map(({ event, data }) => [event, data.role])).toEqual([
    ['user.created', 'admin'],
    ['group.user_added', 'admin'],
  ]);
  expect(await addMember(directory, group, id)).toBeUndefined();
});

it('has the same users in the feed, with their roles, as in a snapshot', async () => {
  const directory = await create();
  await setRoles(service, directory.id, { ...table, multiple: true, default_role: 'guest' });
  const ids = [];
  for (const name of ['one', 'two', 'three']) ids.push(await push(directory, '/Users', person(name)));
  await team(directory, 'Admins', ids[0]!, ids[1]!);
  await team(directory, 'Staff', ids[1]!);
  await untilRolesComputed(service, directory.id);
  const [fed, kept] = await readBoth(service, directory.id);
  expect(fed.users).toEqual(kept.users);
  expect([...fed.users.values()].map(({ roles }: { roles?: unknown }) => roles)).toEqual([['admin'], ['admin', 'member'], ['guest']]);
});

it('previews a table without storing it, and the present one', async () => {
  const directory = await create();
  const [one, two] = [await push(directory, '/Users', person('one')), await push(directory, '/Users', person('two', { roles: ['x'] }))];
  await team(directory, 'Admins', one);
  const preview = (body?: object) => service.api('POST', `${rolesPath(directory.id)}/preview`, body);
  const { status, body } = await preview({ ...table, default_role: 'guest' });
  expect([status, body.data]).toEqual([
    200,
    {
      users: 2,
      checked: 2,
      is_partial: false,
      would_update: 2,
      estimated_updates: 2,
      unmatched: [1],
      samples: [
        { id: two, role: 'guest', roles: ['guest'], present_role: null, present_roles: ['x'] },
        { id: one, role: 'admin', roles: ['admin'], present_role: null, present_roles: [] },
      ],
    },
  ]);
  expect((await preview()).body.error).toMatchObject({ message: 'groups is required: the directory has no role table.' });
  await setRoles(service, directory.id, table);
  expect((await preview({ limit: 1 })).body.data).toMatchObject({ would_update: 0, unmatched: [1], samples: [{ present_roles: [] }] });
});

it('previews the removal of the table: as many users are told as the removal tells then', async () => {
  const directory = await create();
  const pushed = await push(directory, '/Users', person('pushed', { roles: [{ value: 'x' }] }));
  const admin = await push(directory, '/Users', person('admin'));
  // Without a role by the table, and without pushed ones, nothing changes.
  await push(directory, '/Users', person('none'));
  await team(directory, 'Admins', admin);
  const preview = async () => (await service.api('POST', `${rolesPath(directory.id)}/preview`, { groups: null, limit: 20 })).body.data;
  expect(await preview()).toMatchObject({ users: 3, would_update: 0, unmatched: [] });
  await setRoles(service, directory.id, table);
  const before = await readTold(service, directory.id);
  const previewed = await preview();
  expect(previewed).toMatchObject({ users: 3, checked: 3, is_partial: false, would_update: 2, estimated_updates: 2, unmatched: [] });
  expect(previewed.samples).toMatchObject([
    { role: null, roles: [], present_role: null, present_roles: [] },
    { id: admin, role: null, roles: [], present_role: 'admin', present_roles: ['admin'] },
    { id: pushed, role: null, roles: [{ value: 'x' }], present_role: null, present_roles: [] },
  ]);
  expect((await service.api('GET', rolesPath(directory.id))).body.data).toMatchObject({ is_set: true, groups: [{}, {}] });
  expect(await readTold(service, directory.id)).toHaveLength(before.length);

  expect((await service.api('DELETE', rolesPath(directory.id))).status).toBe(200);
  await untilRolesComputed(service, directory.id);
  const told = await readTold(service, directory.id, before.length);
  expect(told.map(({ event }) => event)).toEqual(['user.updated', 'user.updated']);
  expect(new Set(told.map(({ data }) => data.id))).toEqual(new Set([pushed, admin]));
});
