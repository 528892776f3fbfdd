import { beforeEach, expect, it } from '@jest/globals';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useSyncService } from '../support/google-service.ts';
import { changed, createPulledDirectory } from '../support/pulled-directories.ts';
import type { DirectService } from '../support/direct-service.ts';
import { until } from '../support/until.ts';

let google: FakeGoogle;
let service: DirectService;
useSyncService((started) => ({ google, service } = started), {
  MAX_USERS_PER_DIRECTORY: '10',
  MAX_GROUPS_PER_DIRECTORY: '3',
  MAX_MEMBERS_PER_GROUP: '4',
  MAX_GROUPS_PER_MEMBER: '2',
  MAX_MEMBERSHIPS_PER_DIRECTORY: '8',
});
beforeEach(() => google.preset({}));

const addUsers = (count: number) => Array.from({ length: count }, () => google.addUser());
const addGroups = (count: number) => Array.from({ length: count }, () => google.addGroup());
function addGroupsOf(sizes: number[]) {
  const users = [...google.users.keys()];
  for (const [index, { id }] of addGroups(sizes.length).entries())
    for (const user of users.slice(0, sizes[index])) google.addMember(id, { id: user, type: 'USER' });
}

it.each([
  ['users', () => addUsers(11), 'MAX_USERS_PER_DIRECTORY'],
  ['groups, by far', () => (addUsers(1), addGroups(9)), 'MAX_GROUPS_PER_DIRECTORY'],
  ['members of a group', () => (addUsers(5), addGroupsOf([5])), 'MAX_MEMBERS_PER_GROUP'],
  ['groups of a member', () => (addUsers(1), addGroupsOf([1, 1, 1])), 'MAX_GROUPS_PER_MEMBER'],
  ['memberships', () => (addUsers(4), addGroupsOf([4, 4, 1])), 'MAX_MEMBERSHIPS_PER_DIRECTORY'],
])('a sync that would exceed the quota of %s changes nothing, and its run says why', async (_title, fill, setting) => {
  fill();
  const directory = await createPulledDirectory(service, google);
  const run = await directory.sync();
  expect([run.state, run.error.code, run.changed]).toEqual(['failed', 'quota_exceeded', changed()]);
  expect(run.error.message).toContain(setting);
  expect(await directory.describeNewEvents()).toEqual([]);
  expect((await directory.get()).health).toMatchObject({ users: 0, sync: { error: run.error.message } });
});

it('succeeds after the quota is raised; above a lowered quota it updates and deletes, and reports the users that it could not create', async () => {
  addUsers(11);
  const directory = await createPulledDirectory(service, google);
  expect((await directory.sync()).error.code).toBe('quota_exceeded');
  await directory.change({ quotas: { users: 11 } });
  expect(await directory.sync()).toMatchObject({ state: 'succeeded', changed: changed({ users: [11, 0, 0] }) });
  await directory.change({ quotas: null });
  const [first] = [...google.users.keys()];
  google.changeUser(first!, { suspended: true });
  expect(await directory.sync()).toMatchObject({ state: 'succeeded', changed: changed({ users: [0, 1, 0] }) });
  google.removeUser(first!);
  google.addUser();
  expect(await directory.sync()).toMatchObject({
    state: 'succeeded',
    changed: changed({ users: [0, 0, 1] }),
    failed: 1,
    failures: [{ reason: expect.stringContaining('MAX_USERS_PER_DIRECTORY') }],
  });
});

it.each([
  ['users', () => addUsers(20)],
  ['groups', () => (addUsers(1), addGroups(3))],
  ['members', () => (addUsers(4), addGroupsOf([4, 4]))],
])('fails a sync beyond its limit of staged bytes, changes nothing, and accepts one at the limit: %s', async (_title, fill) => {
  fill();
  const unlimited = { users: 100, groups: 100, memberships: 100 };
  const directory = await createPulledDirectory(service, google, { quotas: { ...unlimited, staged_bytes: 1_000_000_000 } });
  const first = await directory.sync();
  expect(first.state).toBe('succeeded');
  const [{ staged_bytes: bytes }] = await service.db('sync_runs').where({ id: first.id }).select('staged_bytes');
  await directory.change({ quotas: { ...unlimited, staged_bytes: bytes } });
  expect(await directory.sync()).toMatchObject({ state: 'succeeded', changed: changed() });
  await directory.countNewEvents();
  google.addUser();
  await directory.change({ quotas: { ...unlimited, staged_bytes: bytes - 1 } });
  const run = await directory.sync();
  expect([run.state, run.error.code, run.changed]).toEqual(['failed', 'quota_exceeded', changed()]);
  expect(run.error.message).toContain('quotas.staged_bytes');
  expect(await directory.countNewEvents()).toEqual({});
});

it('deletes what an earlier run has left before it reads, so that the limit of staged bytes counts only its own', async () => {
  addUsers(20);
  const directory = await createPulledDirectory(service, google, { quotas: { users: 100, staged_bytes: 1_000_000_000 } });
  const first = await directory.sync();
  const left = () => service.db('sync_runs').where({ directory_id: directory.id, is_cleared: false });
  await until(async () => (await left()).length === 0);
  const [{ staged_bytes: bytes }] = await service.db('sync_runs').where({ id: first.id }).select('staged_bytes');
  await directory.change({ quotas: { users: 100, staged_bytes: bytes } });
  await service.db('sync_runs').where({ id: first.id }).update({ is_cleared: false });
  expect(await directory.sync()).toMatchObject({ state: 'succeeded', changed: changed() });
});

it('shows the bytes that a sync has staged in health until they are deleted', async () => {
  addUsers(3);
  const directory = await createPulledDirectory(service, google);
  const used = async () => (await directory.get()).health.quotas.staged_bytes.used as number;
  let during = 0;
  const end = google.before(directory.isRequestFor('groups'), async () => {
    during = await used();
  });
  await directory.sync();
  end();
  expect(during).toBeGreaterThan(300);
  await until(async () => (await used()) === 0);
});
