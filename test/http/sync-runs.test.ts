import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useGoogleService } from '../support/google-service.ts';
import { changed, createPulledDirectory, hold, type PulledDirectory, type Run } from '../support/pulled-directories.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let google: FakeGoogle;
let service: TestService;
useGoogleService((started) => ({ google, service } = started));
beforeEach(() => {
  google.preset({});
  const ada = google.addUser({ primaryEmail: 'ada@acme.example' });
  google.addMember(google.addGroup({ name: 'Team' }).id, { id: ada.id, type: 'USER' });
});

const expectedEvents = ['user.created ada@acme.example', 'group.created Team', 'group.user_added ada@acme.example Team'];
const everything = changed({ users: [1, 0, 0], groups: [1, 0, 0], members: [1, 0] });
const cron = async (path = '/api/v1/dsync/cron/sync-google') => {
  const { status, body } = await service.api('POST', path);
  expect([status, body.data.message]).toEqual([200, 'Sync started']);
  return new Map<string, { directory_id: string; run_id: string; status: string }>(
    body.data.directories.map((directory: { directory_id: string }) => [directory.directory_id, directory]),
  );
};
const tables = ['sync_runs', 'sync_users', 'sync_groups', 'sync_members', 'sync_changes', 'authorization_requests'];
const rowsOf = async ({ id }: PulledDirectory) =>
  Object.fromEntries(
    await Promise.all(tables.map(async (table) => [table, (await service.db(table).where({ directory_id: id })).length] as const)),
  );
const workflowOf = ({ id }: PulledDirectory) => service.client.workflow.getHandle(`sync:${id}`);

describe('a request for a sync', () => {
  it('starts one run, however many are concurrent', async () => {
    const directory = await createPulledDirectory(service, google);
    const users = hold(google, directory.isRequestFor('users'));
    const [started, ...responses] = await Promise.all([cron(), ...Array.from({ length: 10 }, () => directory.requestSync())]);
    const ids = new Set(responses.map(({ body }) => body.data.id as string));
    expect([ids.size, started.get(directory.id)?.run_id]).toEqual([1, [...ids][0]]);
    const isNew = [started.get(directory.id)!.status === 'started', ...responses.map(({ status }) => status === 202)];
    expect(isNew.filter(Boolean)).toHaveLength(1);
    expect([...new Set(responses.map(({ status }) => status))].every((status) => status === 202 || status === 200)).toBe(true);
    await users.reached();
    expect((await cron()).get(directory.id)).toEqual({ directory_id: directory.id, run_id: [...ids][0], status: 'running' });
    users.release();
    const run = await directory.untilEnded([...ids][0]!);
    expect([run.state, run.changed, (await directory.runs()).length]).toEqual(['succeeded', everything, 1]);
    expect(await directory.describeNewEvents()).toEqual(expectedEvents);
    expect(google.requests.filter(directory.isRequestFor('users'))).toHaveLength(1);
  });

  it('of all directories skips those that cannot be read, and returns the others immediately', async () => {
    const [one, two, unauthorized] = await Promise.all([
      createPulledDirectory(service, google),
      createPulledDirectory(service, google),
      createPulledDirectory(service, google, { google_access_token: '', google_refresh_token: '' }),
    ]);
    const off = await createPulledDirectory(service, google, { deactivated: true });
    const pushed = await service.createDirectory();
    const started = await cron('/api/v1/directory-sync/cron/sync-google');
    expect([off, unauthorized, pushed].filter(({ id }) => started.has(id))).toEqual([]);
    for (const directory of [one, two]) {
      const { run_id: runId, status } = started.get(directory.id)!;
      expect([status, (await directory.untilEnded(runId)).trigger]).toEqual(['started', 'cron']);
      expect(await directory.describeNewEvents()).toEqual(expectedEvents);
    }
    expect((await off.requestSync()).body.error.message).toMatch(/deactivated/);
  });
});

describe('a run', () => {
  it('shows its progress, and leaves no staged data when it has ended', async () => {
    const directory = await createPulledDirectory(service, google);
    expect(await directory.runs()).toEqual([]);
    const holds = [hold(google, directory.isRequestFor('groups')), hold(google, directory.isRequestFor('members'))] as const;
    const { status, body } = await directory.requestSync();
    expect([status, body.data]).toEqual([
      202,
      expect.objectContaining({ state: 'queued', phase: null, trigger: 'request', started_at: null }),
    ]);
    const runId = body.data.id as string;
    await holds[0].reached();
    expect(await directory.run(runId)).toMatchObject({
      state: 'running',
      phase: 'users',
      pages: 1,
      seen: { users: 1, groups: 0, members: 0 },
      planned: null,
      changed: changed(),
      started_at: expect.any(String),
      finished_at: null,
      duration_ms: expect.any(Number),
    });
    expect((await rowsOf(directory))['sync_users']).toBe(1);
    holds[0].release();
    await holds[1].reached();
    expect(await directory.run(runId)).toMatchObject({ phase: 'groups', pages: 2, seen: { users: 1, groups: 1, members: 0 } });
    holds[1].release();
    const run = await directory.untilEnded(runId);
    expect(await directory.runs()).toEqual([run]);
    const second = await directory.sync();
    expect((await directory.runs()).map(({ id }: Run) => id)).toEqual([second.id, runId]);
    expect((await service.api('GET', `${directory.path}/syncs?limit=1&offset=1`)).body.data).toEqual([run]);
    await workflowOf(directory).result();
    expect(await rowsOf(directory)).toEqual({ ...Object.fromEntries(tables.map((table) => [table, 0])), sync_runs: 2 });
    expect((await directory.run('nonsense')) ?? null).toBeNull();
  });

  it('is canceled while it waits for Google, and the next run applies all changes', async () => {
    const directory = await createPulledDirectory(service, google);
    const groups = hold(google, directory.isRequestFor('groups'));
    const runId = await directory.begin();
    await groups.reached();
    expect((await directory.cancel(runId)).status).toBe(202);
    const run = await directory.untilEnded(runId);
    groups.release();
    expect([run.state, run.error.code, run.changed]).toEqual(['canceled', 'canceled', changed()]);
    expect(await directory.describeNewEvents()).toEqual([]);
    const { status, body } = await directory.cancel(runId);
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/already ended/)]);
    expect((await directory.sync()).changed).toEqual(everything);
    expect(await directory.describeNewEvents()).toEqual(expectedEvents);
  });

  it('is canceled before it has begun', async () => {
    const directory = await createPulledDirectory(service, google);
    const id = '01a1ff30-c146-729a-bf4b-5952806c3447';
    await service.db('sync_runs').insert({ id, directory_id: directory.id, state: 'queued', trigger: 'request' });
    const { status, body } = await directory.cancel(id);
    expect([status, body.data.state, body.data.started_at]).toEqual([202, 'canceled', null]);
    expect((await directory.sync()).changed).toEqual(everything);
  });

  it('can be canceled after its workflow was terminated, and does not block the next run', async () => {
    const directory = await createPulledDirectory(service, google);
    const users = hold(google, directory.isRequestFor('users'));
    const runId = await directory.begin();
    await users.reached();
    await workflowOf(directory).terminate();
    users.release();
    expect((await directory.cancel(runId)).body.data.state).toBe('canceled');
    expect((await directory.sync()).changed).toEqual(everything);
  });

  it('is failed by the next request after its workflow was terminated, and replaced by a new run', async () => {
    const directory = await createPulledDirectory(service, google);
    const users = hold(google, directory.isRequestFor('users'));
    const runId = await directory.begin();
    await users.reached();
    await workflowOf(directory).terminate();
    expect((await directory.requestSync()).status).toBe(200);
    const left = await directory.untilEnded(runId);
    users.release();
    expect([left.state, left.error.message]).toEqual(['failed', expect.stringMatching(/was terminated/)]);
    const [next] = await directory.runs();
    expect((await directory.untilEnded(next.id)).changed).toEqual(everything);
    expect(await directory.describeNewEvents()).toEqual(expectedEvents);
  });

  it('ends when its directory is deactivated', async () => {
    const directory = await createPulledDirectory(service, google);
    const users = hold(google, directory.isRequestFor('users'));
    const runId = await directory.begin();
    await users.reached();
    await directory.change({ deactivated: true });
    users.release();
    const run = await directory.untilEnded(runId);
    expect([run.state, run.error.code, run.changed]).toEqual(['canceled', 'deactivated', changed()]);
    expect(await directory.describeNewEvents()).toEqual([]);
    await directory.change({ deactivated: false });
    expect((await directory.sync()).changed).toEqual(everything);
  });

  it('ends and leaves nothing when its directory is deleted', async () => {
    const directory = await createPulledDirectory(service, google);
    await service.api('POST', `${directory.path}/google/authorization-url`);
    const groups = hold(google, directory.isRequestFor('groups'));
    await directory.begin();
    await groups.reached();
    expect(await rowsOf(directory)).toMatchObject({ sync_runs: 1, sync_users: 1, authorization_requests: 1 });
    await service.api('DELETE', directory.path);
    groups.release();
    await workflowOf(directory).result();
    // The run has ended. The deletion is another workflow.
    await until(async () => Object.values(await rowsOf(directory)).every((count) => count === 0));
    await until(async () => (await service.db('events').where({ directory_id: directory.id })).length === 0);
  });

  it('continues as new when its history is long', async () => {
    const directory = await createPulledDirectory(service, google);
    const users = hold(google, directory.isRequestFor('users'));
    const runId = await directory.begin();
    await users.reached();
    const { runId: before } = await workflowOf(directory).describe();
    for (let count = 0; count < 60; count += 1) await workflowOf(directory).signal('wake');
    users.release();
    expect((await directory.untilEnded(runId)).changed).toEqual(everything);
    expect((await workflowOf(directory).describe()).runId).not.toBe(before);
    await workflowOf(directory).result();
    expect([(await directory.runs()).length, await directory.describeNewEvents()]).toEqual([1, expectedEvents]);
  });
});
