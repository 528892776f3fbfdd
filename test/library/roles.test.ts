import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestLibrary, type TestLibrary } from '../support/library.ts';
import { until } from '../support/until.ts';

let library: TestLibrary;
beforeAll(async () => {
  library = await startTestLibrary();
});
afterAll(() => library.stop());

it('computes roles without Temporal, when the table and when members change', async () => {
  const { sync } = library;
  const directory = await library.createDirectory();
  const { data: user } = await directory.handle('POST', 'users', { body: { userName: 'ada' } });
  const roleOf = async () => (await sync.users.get(user.id, { directory_id: directory.id })).data?.role;
  await sync.roles.set(directory.id, { groups: [{ group_name: 'Admins', role: 'admin' }], default_role: 'guest' });
  await until(async () => (await roleOf()) === 'guest');
  // What this process knows of the directory from its last change is from before.
  await directory.handle('POST', 'groups', { body: { displayName: 'Admins', members: [{ value: user.id }] } });
  await until(async () => (await roleOf()) === 'admin');
  const { data: events } = await sync.events.list({ directory_id: directory.id });
  expect(events?.map(({ event, reason }) => [event, reason])).toEqual([
    ['user.created', 'scim'],
    ['user.updated', 'mapping'],
    ['group.created', 'scim'],
    ['group.user_added', 'scim'],
    ['user.updated', 'mapping'],
  ]);
});
