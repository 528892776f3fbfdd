import { beforeEach, expect, it } from '@jest/globals';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useSyncService } from '../support/google-service.ts';
import { createPulledDirectory, hold, type PulledDirectory, type Run } from '../support/pulled-directories.ts';
import type { DirectService } from '../support/direct-service.ts';

/** The errors of sync runs, except what Google causes (test/providers/google/error-messages.test.ts). Other tests compare the code. */

let google: FakeGoogle;
let service: DirectService;
useSyncService((started) => ({ google, service } = started));
beforeEach(() => google.preset({}));

const create = (fields: Record<string, unknown> = {}) => createPulledDirectory(service, google, fields);
const addUsers = (count: number) => Array.from({ length: count }, () => google.addUser());
const removeUsers = (count: number) => {
  for (const id of [...google.users.keys()].slice(0, count)) google.removeUser(id);
};
function addGroups(...sizes: number[]) {
  for (const size of sizes) {
    const { id: group } = google.addGroup();
    for (const id of [...google.users.keys()].slice(0, size)) google.addMember(group, { id, type: 'USER' });
  }
}
async function syncAfter(change: () => unknown): Promise<Run> {
  const directory = await create();
  await directory.sync();
  change();
  return directory.sync();
}
/** A run that is changed while it lists users. */
async function syncDuring(change: (directory: PulledDirectory, runId: string) => unknown): Promise<Run> {
  addUsers(1);
  const directory = await create();
  const users = hold(google, directory.isRequestFor('users'));
  const runId = await directory.begin();
  await users.reached();
  await change(directory, runId);
  users.release();
  return directory.untilEnded(runId);
}
const withQuota = async (quotas: object) => (await create({ quotas })).sync();

it.each<[string, () => Promise<Run>, string, string]>([
  [
    'lists no users',
    async () => (await create()).sync(),
    'invalid_provider_response',
    'The provider listed no users at all, which cannot be right. Nothing was changed. Check its status, and sync again.',
  ],
  [
    'lists another Workspace',
    async () => (addUsers(1), (await create({ google_domain: 'other.example' })).sync()),
    'wrong_workspace',
    "None of the users has an address of the directory's google_domain. Nothing was changed. Authorize as an administrator of that domain, or correct google_domain.",
  ],
  [
    'would remove too much',
    () => (addUsers(20), syncAfter(() => removeUsers(11))),
    'needs_confirmation',
    'This would remove 11 of 20 users. Nothing was changed. If this is intended, start a sync with confirm set to {run}.',
  ],
  [
    'would remove more than was confirmed',
    async () => {
      addUsers(30);
      const directory = await create();
      await directory.sync();
      removeUsers(11);
      const { id } = await directory.sync();
      removeUsers(1);
      return directory.sync(`?confirm=${id}`);
    },
    'needs_confirmation',
    'This would remove 12 of 30 users (11 users were confirmed). Nothing was changed. If this is intended, start a sync with confirm set to {run}.',
  ],
  [
    'would remove too many memberships',
    () => (
      addUsers(12),
      addGroups(12),
      syncAfter(() => {
        const [group] = google.groups.keys();
        for (const id of [...google.users.keys()].slice(1)) google.removeMember(group!, id);
      })
    ),
    'needs_confirmation',
    'This would remove 11 of 12 memberships. Nothing was changed. If this is intended, start a sync with confirm set to {run}.',
  ],
  [
    'would exceed the quota of users',
    () => (addUsers(3), withQuota({ users: 2 })),
    'quota_exceeded',
    'The directory may have at most 2 users (quotas.users of this directory), and would have more than 3. Nothing was changed. Select fewer with google_groups or google_org_units, or ask the operator of this service for a higher limit.',
  ],
  [
    'would exceed the quota of groups',
    () => (addUsers(1), addGroups(0, 0), withQuota({ groups: 1 })),
    'quota_exceeded',
    'The directory may have at most 1 group (quotas.groups of this directory), and would have more than 2. Nothing was changed. Select fewer with google_groups or google_org_units, or ask the operator of this service for a higher limit.',
  ],
  [
    'would exceed the quota of members',
    () => (addUsers(2), addGroups(2), withQuota({ group_members: 1 })),
    'quota_exceeded',
    'The directory may have at most 1 member in a group (quotas.group_members of this directory), and would have 2. Nothing was changed. Select fewer with google_groups or google_org_units, or ask the operator of this service for a higher limit.',
  ],
  [
    'would exceed the quota of groups per member',
    () => (addUsers(1), addGroups(1, 1), withQuota({ groups_per_member: 1 })),
    'quota_exceeded',
    'The directory may have at most 1 group with the same member (quotas.groups_per_member of this directory), and would have 2. Nothing was changed. Select fewer with google_groups or google_org_units, or ask the operator of this service for a higher limit.',
  ],
  [
    'would exceed the quota of memberships',
    () => (addUsers(2), addGroups(2, 2), withQuota({ memberships: 3 })),
    'quota_exceeded',
    'The directory may have at most 3 memberships in all groups together (quotas.memberships of this directory), and would have 4. Nothing was changed. Select fewer with google_groups or google_org_units, or ask the operator of this service for a higher limit.',
  ],
  [
    'lists too much',
    () => (addUsers(3), withQuota({ staged_bytes: 1 })),
    'quota_exceeded',
    'The directory may have at most 1 bytes staged by a sync (quotas.staged_bytes of this directory), and would have more than 1. Nothing was changed. Select fewer with google_groups or google_org_units, or ask the operator of this service for a higher limit.',
  ],
  [
    'lists an address that is too long',
    () => (google.addUser({ primaryEmail: `${'x'.repeat(600)}@acme.example` }), withQuota({})),
    'invalid_provider_response',
    "The provider's response can't be stored: userName must have at most 500 characters (fixed limit).",
  ],
  [
    'is canceled',
    () => syncDuring((directory, runId) => directory.cancel(runId)),
    'canceled',
    'The run was canceled. Changes that it had applied stay.',
  ],
  [
    'is canceled by a deactivation',
    () => syncDuring((directory) => directory.change({ deactivated: true })),
    'deactivated',
    'The directory was deactivated.',
  ],
  [
    'is replaced',
    () => syncDuring((directory) => directory.change({ google_groups: ['x@acme.example'] })),
    'replaced',
    'The directory was authorized again, or its options were changed, during the sync. Nothing was changed; another run replaces this one.',
  ],
])('a sync fails with its message if it %s', async (_what, sync, error, message) => {
  const run = await sync();
  expect([run.error.code, run.error.message.replace(run.id, '{run}')]).toEqual([error, message]);
});

it('a run cannot be confirmed while another one runs, or after a later one has succeeded', async () => {
  addUsers(20);
  const directory = await create();
  await directory.sync();
  removeUsers(11);
  const { id } = await directory.sync();
  const users = hold(google, directory.isRequestFor('users'));
  const inProgress = await directory.begin();
  await users.reached();
  const messageOf = async () => (await directory.requestSync(`?confirm=${id}`)).body.error.message;
  expect(await messageOf()).toBe(`Run ${inProgress} is in progress: wait until it ends, or cancel it, and then confirm.`);
  users.release();
  const { id: newer } = await directory.untilEnded(inProgress);
  await directory.sync(`?confirm=${newer}`);
  expect(await messageOf()).toBe('A later run has succeeded without it: there is nothing left to confirm.');
});

it('removals cannot be refused while a run confirms them, after a later run has asked again, or after one has succeeded', async () => {
  addUsers(40);
  const directory = await create();
  await directory.sync();
  removeUsers(13);
  const messageOf = async (runId: string) => (await directory.cancel(runId)).body.error.message;
  const [{ id: first }, { id: second }] = [await directory.sync(), await directory.sync()];
  expect(await messageOf(first)).toBe(`Run ${second} asks again: cancel that one.`);
  const users = hold(google, directory.isRequestFor('users'));
  const confirming = await directory.begin(`?confirm=${second}`);
  await users.reached();
  expect(await messageOf(second)).toBe(`Run ${confirming} is in progress: wait until it ends, or cancel it.`);
  users.release();
  await directory.untilEnded(confirming);
  expect(await messageOf(second)).toBe('A later run has succeeded without it: there is nothing left to cancel.');

  removeUsers(11);
  const { id: refused } = await directory.sync();
  const { body } = await directory.cancel(refused);
  expect(body.data.error.message).toBe('Its removals were refused. Nothing was changed.');
});

it('a sync reports a group that is its own member', async () => {
  addUsers(1);
  const { id } = google.addGroup();
  google.addMember(id, { id, type: 'GROUP' });
  const { failures } = await (await create()).sync();
  expect(failures).toMatchObject([{ reason: 'A group cannot be a member of itself.' }]);
});
