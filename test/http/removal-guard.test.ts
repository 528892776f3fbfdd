import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useSyncService } from '../support/google-service.ts';
import { changed, createPulledDirectory, hold, type PulledDirectory } from '../support/pulled-directories.ts';
import type { DirectService } from '../support/direct-service.ts';

let google: FakeGoogle;
let service: DirectService;
useSyncService((started) => ({ google, service } = started));
beforeEach(() => google.preset({}));

const addUsers = (count: number) => Array.from({ length: count }, () => google.addUser());
const removeUsers = (count: number) => {
  for (const id of [...google.users.keys()].slice(0, count)) google.removeUser(id);
};

/** A directory that has read this many users, of which Google has removed some since. */
async function createWithRemovals(users: number, gone: number): Promise<PulledDirectory> {
  addUsers(users);
  const directory = await createPulledDirectory(service, google);
  await directory.sync();
  await directory.newEvents();
  removeUsers(gone);
  return directory;
}

const errorOf = async (directory: PulledDirectory, query: string) => {
  const { status, body } = await directory.requestSync(query);
  return [status, body.error?.code, body.error?.field];
};
const userCount = async ({ id }: PulledDirectory) => (await service.db('users').where({ directory_id: id })).length;

describe('a sync that would remove more than 30 % and more than 10', () => {
  it('changes nothing until it is confirmed, and then removes what was confirmed', async () => {
    const directory = await createWithRemovals(20, 11);
    google.addUser({ primaryEmail: 'new@acme.example' });
    const run = await directory.sync();
    expect([run.state, run.error.code, run.changed]).toEqual(['needs_confirmation', 'needs_confirmation', changed()]);
    expect(run.planned).toEqual(changed({ users: [1, 0, 11] }));
    expect([await directory.describeNewEvents(), await userCount(directory)]).toEqual([[], 20]);

    const confirmed = await directory.sync(`?confirm=${run.id}`);
    expect([confirmed.state, confirmed.confirms, confirmed.changed]).toEqual(['succeeded', run.id, changed({ users: [1, 0, 11] })]);
    expect(await directory.countNewEvents()).toEqual({ 'user.deleted': 11, 'user.created': 1 });
    expect(await errorOf(directory, `?confirm=${run.id}`)).toEqual([400, 'invalid_request', 'confirm']);
  });

  it('requires another confirmation if it would remove more than was confirmed', async () => {
    const directory = await createWithRemovals(30, 11);
    const first = await directory.sync();
    removeUsers(1);
    const second = await directory.sync(`?confirm=${first.id}`);
    expect([second.state, second.planned]).toEqual(['needs_confirmation', changed({ users: [0, 0, 12] })]);
    expect(await directory.describeNewEvents()).toEqual([]);
    const third = await directory.sync(`?confirm=${second.id}`);
    expect([third.state, third.changed]).toEqual(['succeeded', changed({ users: [0, 0, 12] })]);
  });

  it('counts groups and memberships too, but not the memberships of removed users and groups', async () => {
    const users = addUsers(12);
    const [big, kept] = [google.addGroup(), google.addGroup()];
    for (const { id } of users) for (const group of [big, kept]) google.addMember(group.id, { id, type: 'USER' });
    const directory = await createPulledDirectory(service, google);
    await directory.sync();
    google.removeGroup(big.id);
    expect((await directory.sync()).changed).toEqual(changed({ groups: [0, 0, 1], members: [0, 12] }));
    for (const { id } of users.slice(1)) google.removeMember(kept.id, id);
    expect(await directory.sync()).toMatchObject({ state: 'needs_confirmation', planned: changed({ members: [0, 11] }) });
  });

  it('cannot be confirmed after a later run has succeeded', async () => {
    const directory = await createWithRemovals(20, 11);
    const unsure = await directory.sync();
    addUsers(11);
    const other = await directory.sync();
    expect(other.state).toBe('needs_confirmation');
    const done = await directory.sync(`?confirm=${other.id}`);
    expect(done.state).toBe('succeeded');
    google.failNext('users', { status: 403, body: { error: { errors: [{ reason: 'forbidden' }] } } });
    expect((await directory.sync()).state).toBe('failed');
    expect(await errorOf(directory, `?confirm=${unsure.id}`)).toEqual([400, 'invalid_request', 'confirm']);
  });

  it('is confirmed only by its own ID, and not while another run is in progress', async () => {
    const directory = await createWithRemovals(20, 11);
    const run = await directory.sync();
    const other = await createPulledDirectory(service, google);
    const { id: ofOther } = await other.sync();
    const [{ id: succeeded }] = (await directory.runs()).slice(-1);
    for (const [id, status] of [
      ['nonsense', 404],
      ['01a1ff30-c146-729a-bf4b-5952806c3447', 404],
      [ofOther, 404],
      [succeeded, 400],
    ])
      expect((await errorOf(directory, `?confirm=${id}`))[0]).toBe(status);
    expect((await errorOf(directory, `?confirm=${run.id}&confirm=${run.id}`))[0]).toBe(400);
    expect((await errorOf(directory, '?confirm='))[0]).toBe(400);

    const users = hold(google, directory.isRequestFor('users'));
    const underWay = await directory.begin();
    await users.reached();
    expect(await errorOf(directory, `?confirm=${run.id}`)).toEqual([400, 'invalid_request', 'confirm']);
    users.release();
    expect((await directory.untilEnded(underWay)).state).toBe('needs_confirmation');
    expect(await directory.describeNewEvents()).toEqual([]);
  });
});

const healthOf = async (directory: PulledDirectory) => (await directory.get()).health.status as string;
const cancelError = async (directory: PulledDirectory, runId: string) => {
  const { status, body } = await directory.cancel(runId);
  return `${status} ${body.error?.message}`;
};

describe('removals that are refused', () => {
  it('stay, and the next run reads everything and asks again', async () => {
    const directory = await createWithRemovals(40, 13);
    google.failNext('users', { status: 403, body: { error: { errors: [{ reason: 'forbidden' }] } } });
    expect([(await directory.sync()).state, await healthOf(directory)]).toEqual(['failed', 'failing']);
    const [earlier, run] = [await directory.sync(), await directory.sync()];
    expect(await cancelError(directory, earlier.id)).toContain(`400 Run ${run.id}`);
    expect(await healthOf(directory)).toBe('needs_confirmation');
    const { status, body } = await directory.cancel(run.id);
    expect([status, body.data.state, body.data.error.code]).toEqual([202, 'canceled', 'refused']);
    expect((await directory.run(earlier.id)).error.code).toBe('refused');
    expect([await healthOf(directory), await userCount(directory), await directory.newEvents()]).toEqual(['healthy', 40, []]);
    expect(await errorOf(directory, `?confirm=${run.id}`)).toEqual([400, 'invalid_request', 'confirm']);
    expect(await cancelError(directory, run.id)).toContain('400');
    const acts = await service.api('GET', `/api/v1/audit-log?directory_id=${directory.id}&action=sync.canceled`);
    const targets = acts.body.data.map((act: { targets: { id: string }[] }) => new Set(act.targets.map(({ id }) => id)));
    expect(targets).toEqual([new Set([directory.id, earlier.id, run.id])]);

    const again = await directory.sync();
    expect([again.state, again.planned]).toEqual(['needs_confirmation', changed({ users: [0, 0, 13] })]);
    expect((await directory.sync(`?confirm=${again.id}`)).state).toBe('succeeded');
    expect(await cancelError(directory, again.id)).toContain('400');

    removeUsers(11);
    const last = await directory.sync();
    await directory.cancel(last.id);
    expect((await directory.run(again.id)).state).toBe('needs_confirmation');
  });

  it('cannot be refused while a run applies them', async () => {
    const directory = await createWithRemovals(20, 11);
    const run = await directory.sync();
    const users = hold(google, directory.isRequestFor('users'));
    const confirming = await directory.begin(`?confirm=${run.id}`);
    await users.reached();
    expect(await cancelError(directory, run.id)).toContain(`400 Run ${confirming}`);
    users.release();
    expect((await directory.untilEnded(confirming)).state).toBe('succeeded');
  });

  it('are either applied or refused if both are asked for at once', async () => {
    const directory = await createWithRemovals(20, 11);
    const outcomes: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const run = await directory.sync();
      const users = hold(google, directory.isRequestFor('users'));
      const requests = [() => directory.requestSync(`?confirm=${run.id}`), () => directory.cancel(run.id)] as const;
      const [confirmed, refused] =
        round % 2 === 0
          ? await Promise.all([requests[0](), requests[1]()])
          : (await Promise.all([requests[1](), requests[0]()])).toReversed();
      outcomes.push(`${confirmed!.status} ${refused!.status}`);
      if (confirmed!.status === 202) await directory.cancel(confirmed!.body.data.id);
      users.release();
      if (confirmed!.status === 202) await directory.untilEnded(confirmed!.body.data.id);
      expect((await directory.run(run.id)).state).toBe(refused!.status === 202 ? 'canceled' : 'needs_confirmation');
    }
    expect([...new Set(outcomes)].filter((outcome) => outcome !== '202 400' && outcome !== '400 202')).toEqual([]);
  });
});

it('counts deactivations where these are deletions in events', async () => {
  addUsers(20);
  const [directory, other] = [await createPulledDirectory(service, google), await createPulledDirectory(service, google)];
  for (const one of [directory, other]) await one.sync();
  await service.api('PATCH', `/api/v1/directory-sync/${directory.id}`, { inactive_users: 'delete' });
  await directory.newEvents();
  for (const id of [...google.users.keys()].slice(0, 11)) google.changeUser(id, { suspended: true });
  const run = await directory.sync();
  expect([run.state, run.error.message]).toEqual(['needs_confirmation', expect.stringContaining('This would remove 11 of 20 users')]);
  expect(await directory.describeNewEvents()).toEqual([]);
  expect((await other.sync()).state).toBe('succeeded');
  expect((await directory.sync(`?confirm=${run.id}`)).state).toBe('succeeded');
  expect(await directory.countNewEvents()).toEqual({ 'user.deleted': 11 });
});

it('removes ten of twenty without confirmation', async () => {
  const directory = await createWithRemovals(20, 10);
  expect((await directory.sync()).changed).toEqual(changed({ users: [0, 0, 10] }));
  expect(await directory.countNewEvents()).toEqual({ 'user.deleted': 10 });
});

it('does not apply an empty list of users, or that of another Workspace', async () => {
  const [user] = addUsers(1);
  const group = google.addGroup();
  google.addMember(group.id, { id: user!.id, type: 'USER' });
  const directory = await createPulledDirectory(service, google);
  await directory.sync();
  await directory.newEvents();
  google.preset({ groups: [group] });
  const empty = await directory.sync();
  expect([empty.state, empty.error.code]).toEqual(['failed', 'invalid_provider_response']);
  google.addUser({ primaryEmail: 'ada@elsewhere.example', emails: [] });
  await directory.change({ google_domain: 'Acme.example' });
  const foreign = await directory.sync();
  expect([foreign.state, foreign.error.code]).toEqual(['failed', 'wrong_workspace']);
  expect([await directory.describeNewEvents(), await userCount(directory)]).toEqual([[], 1]);
  google.addUser({ primaryEmail: 'ada@ACME.example' });
  expect((await directory.sync()).state).toBe('succeeded');
});
