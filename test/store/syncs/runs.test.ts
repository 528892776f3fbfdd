import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { openSyncStores, page, user } from '../../support/sync-stores.ts';
import { until } from '../../support/until.ts';

let stores: Awaited<ReturnType<typeof openSyncStores>>;
let directoryId: string;
beforeAll(async () => {
  stores = await openSyncStores();
});
afterAll(() => stores.drop());
beforeEach(async () => {
  directoryId = await stores.addDirectory();
});

const request = (trigger: 'request' | 'authorization' = 'request') => stores.runs.request({ id: newId(), directoryId, trigger });

it('is requested once by any number of concurrent callers', async () => {
  const requested = await Promise.all([...Array.from({ length: 8 }, () => request()), stores.runs.requestScheduled(directoryId)]);
  const all = await stores.runs.requestAll('google');
  expect(all.filter((one) => one.directoryId === directoryId)).toEqual([{ directoryId, runId: expect.any(String), isNew: false }]);
  const isNew = requested.map((response) => (typeof response === 'object' ? response.isNew : response));
  expect(isNew.filter(Boolean)).toHaveLength(1);
  expect((await stores.runs.list(directoryId, { offset: 0, limit: 10 })).resources).toHaveLength(1);
});

it('is not scheduled for a directory that is not active and authorized', async () => {
  const unready = await Promise.all([
    stores.addDirectory({ deactivated: true }),
    stores.addDirectory({ google_admin_email: null }),
    stores.addDirectory({ google_authorization_error: 'no' }),
    stores.addDirectory({ type: 'okta-scim-v2' }),
  ]);
  const all = (await stores.runs.requestAll('google')).map((one) => one.directoryId);
  expect(all).toContain(directoryId);
  for (const id of unready) {
    expect([await stores.runs.requestScheduled(id), all.includes(id)]).toEqual([false, false]);
    expect((await stores.runs.list(id, { offset: 0, limit: 10 })).resources).toEqual([]);
  }
});

it('is begun by one workflow, also when its activity is retried', async () => {
  await request();
  const [first, again] = [
    await stores.syncs.begin({ directoryId, workflowRun: 'one' }),
    await stores.syncs.begin({ directoryId, workflowRun: 'one' }),
  ];
  expect([typeof first, again]).toEqual(['string', first]);
  expect(await stores.syncs.begin({ directoryId: await stores.addDirectory(), workflowRun: 'one' })).toBeUndefined();
});

it('is replaced, with its request, when its workflow is gone', async () => {
  const first = await stores.begin(directoryId, 'one');
  await stores.syncs.stageUsers(directoryId, first, page(user('1')));
  const second = (await stores.syncs.begin({ directoryId, workflowRun: 'two' }))!;
  expect(await stores.run(directoryId, first)).toMatchObject({ state: 'failed', error: { code: 'internal' } });
  expect(await stores.run(directoryId, second)).toMatchObject({ state: 'running', trigger: 'request', seen: { users: 0 } });
  expect(await stores.syncs.stageUsers(directoryId, first, page(user('2')))).toBe('stopped');
});

it('is newer than every run that was requested before, even if its transaction began earlier', async () => {
  await stores.begin(directoryId, 'one');
  const others = await stores.db.transaction();
  await others('directories').where({ id: directoryId }).forUpdate().first();
  const beginning = stores.syncs.begin({ directoryId, workflowRun: 'two' });
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await until(async () => (await stores.db.raw(waiting)).rows.length === 1);
  const columns = { directory_id: directoryId, state: 'canceled', trigger: 'request', requested_at: stores.db.raw('clock_timestamp()') };
  await others('sync_runs').insert({ id: newId(), ...columns });
  await others.commit();
  const successor = await beginning;
  const {
    resources: [newest],
  } = await stores.runs.list(directoryId, { offset: 0, limit: 1 });
  expect(newest?.id).toBe(successor);
});

it('is not begun if the directory was deactivated after the request', async () => {
  const { run } = (await request())!;
  await stores.db('directories').where({ id: directoryId }).update({ deactivated: true });
  expect(await stores.syncs.begin({ directoryId, workflowRun: 'one' })).toBeUndefined();
  expect(await stores.run(directoryId, run.id)).toMatchObject({ state: 'canceled', error: { code: 'deactivated' } });
});

it('ends once', async () => {
  const runId = await stores.begin(directoryId);
  await stores.syncs.notice(directoryId, runId, 'waits');
  await stores.syncs.end(directoryId, runId, { state: 'succeeded' });
  const ended = await stores.run(directoryId, runId);
  await stores.syncs.end(directoryId, runId, { state: 'failed', error: { code: 'internal', message: 'late' } });
  await stores.syncs.notice(directoryId, runId, 'late');
  expect(await stores.run(directoryId, runId)).toEqual(ended);
  expect([ended.state, ended.notice, ended.error]).toEqual(['succeeded', undefined, undefined]);
});

it('is found if it was not begun within 30 seconds', async () => {
  const { run } = (await request())!;
  const forgotten = async () => (await stores.runs.findForgotten(1_000)).includes(directoryId);
  expect(await forgotten()).toBe(false);
  await stores
    .db('sync_runs')
    .where({ id: run.id })
    .update({ requested_at: new Date(Date.now() - 31_000) });
  expect(await forgotten()).toBe(true);
  await stores.syncs.begin({ directoryId, workflowRun: 'one' });
  expect(await forgotten()).toBe(false);
});

it('is kept among the newest 100 runs of its directory', async () => {
  const old = Array.from({ length: 105 }, (_, index) => ({
    id: newId(),
    directory_id: directoryId,
    state: 'succeeded',
    trigger: 'schedule',
    requested_at: new Date(Date.now() - (index + 1) * 1_000),
  }));
  await stores.db('sync_runs').insert(old);
  const runId = await stores.begin(directoryId);
  const { resources: kept } = await stores.runs.list(directoryId, { offset: 0, limit: 200 });
  expect([kept.length, kept[0]!.id, kept.at(-1)!.id]).toEqual([101, runId, old[99]!.id]);
});

it('reports a lost authorization once, and not for its replacement', async () => {
  const operatorEvents = async () => {
    const bodies = await stores.db('operator_events').whereLike('body', `%${directoryId}%`).pluck<string[]>('body');
    return bodies.map((body) => JSON.parse(body).event as string);
  };
  const { authorizations } = stores;
  expect(await authorizations.markRevoked(directoryId, 0, 'gone')).toBe('revoked');
  expect(await authorizations.markRevoked(directoryId, 0, 'gone')).toBe('revoked');
  expect(await operatorEvents()).toEqual(['dsync.authorization_needed']);
  await stores
    .db('directories')
    .where({ id: directoryId })
    .update({ google_authorization_version: 1, google_authorization_error: null, google_access_token: 'new' });
  expect(await authorizations.markRevoked(directoryId, 0, 'late')).toBe('replaced');
  await authorizations.saveTokens(directoryId, 0, { accessToken: 'old', expiresAt: undefined });
  const row = await stores.db('directories').where({ id: directoryId }).first();
  expect([row.google_authorization_error, row.google_access_token, (await operatorEvents()).length]).toEqual([null, 'new', 1]);
});

const confirmationEvents = async (type: string) =>
  (await stores.db('operator_events').orderBy('id').pluck<string[]>('body'))
    .map((body) => JSON.parse(body) as { event: string; data: { id: string; run_id: string } })
    .filter(({ event, data }) => event === type && data.id === directoryId)
    .map(({ data }) => data.run_id);

it('notifies the operator of the first of several runs that need confirmation, and again after one that does not', async () => {
  const waiting = { state: 'needs_confirmation', error: { code: 'needs_confirmation', message: 'This would remove much.' } } as const;
  const runIds: string[] = [];
  for (const end of [waiting, waiting, { state: 'succeeded' } as const, waiting]) {
    const runId = await stores.begin(directoryId);
    for (const _ of [1, 2]) await stores.syncs.end(directoryId, runId, end);
    runIds.push(runId);
  }
  for (const type of ['dsync.sync.needs_confirmation', 'dsync.confirmation_needed'])
    expect(await confirmationEvents(type)).toEqual([runIds[0], runIds[3]]);
});

it('is returned to a concurrent request during the comparison, without waiting', async () => {
  const runId = await stores.begin(directoryId);
  await stores.db.transaction(async (trx) => {
    await trx('sync_runs').where({ id: runId }).forNoKeyUpdate().first();
    expect(await request()).toMatchObject({ run: { id: runId }, isNew: false });
  });
});

it('is found again only after 30 seconds if it is still not begun', async () => {
  await request();
  await stores
    .db('sync_runs')
    .where({ directory_id: directoryId })
    .update({ requested_at: new Date(Date.now() - 60_000) });
  expect(await stores.runs.findForgotten(100)).toContain(directoryId);
  expect(await stores.runs.findForgotten(100)).not.toContain(directoryId);
});

it('is replaced if its own workflow has lost its progress', async () => {
  const runId = await stores.begin(directoryId, 'the workflow');
  expect(await stores.syncs.begin({ directoryId, workflowRun: 'the workflow' })).toBe(runId);
  await stores.syncs.stageUsers(directoryId, runId, page(user('1')));
  const next = await stores.syncs.begin({ directoryId, workflowRun: 'the workflow' });
  expect(next).not.toBe(runId);
  expect((await stores.run(directoryId, runId)).state).toBe('failed');
});

const operatorEventsOf = async (event: string) => {
  const bodies = await stores.db('operator_events').whereLike('body', `%${directoryId}%`).pluck<string[]>('body');
  return bodies
    .map((body) => JSON.parse(body) as { event: string; data: object })
    .filter((operatorEvents) => operatorEvents.event === event);
};

it('counts starts of a step until it ends, something new is staged or changes are made', async () => {
  const runId = await stores.begin(directoryId);
  const count = () => stores.syncs.countStart(directoryId, runId);
  expect([await count(), await count()]).toEqual([1, 2]);
  await stores.syncs.stageUsers(directoryId, runId, page(user('1')));
  expect([await count(), await count()]).toEqual([1, 2]);
  // Staging the same page again is no progress.
  await stores.syncs.stageUsers(directoryId, runId, page(user('1')));
  expect(await count()).toBe(3);
  await stores.syncs.resetStarts(directoryId, runId);
  expect(await count()).toBe(1);
});

it('is not begun by the schedule after processes died during the last run, but by a request', async () => {
  const runId = await stores.begin(directoryId);
  for (let starts = 0; starts < 5; starts += 1) await stores.syncs.countStart(directoryId, runId);
  const error = { code: 'internal', message: 'It died.' } as const;
  await stores.syncs.end(directoryId, runId, { state: 'failed', error, emitsSyncFailed: true });
  expect(await operatorEventsOf('dsync.sync_failed')).toMatchObject([{ data: { id: directoryId, run_id: runId, reason: error.message } }]);
  for (let times = 0; times < 2; times += 1) {
    expect(await stores.runs.requestScheduled(directoryId)).toBe(true);
    expect(await stores.syncs.begin({ directoryId, workflowRun: newId() })).toBeUndefined();
  }
  const {
    resources: [newest],
  } = await stores.runs.list(directoryId, { offset: 0, limit: 1 });
  expect(newest).toMatchObject({ state: 'failed', trigger: 'schedule', error: { message: expect.stringContaining('by request') } });
  expect(await operatorEventsOf('dsync.sync_failed')).toHaveLength(1);
  const requested = await stores.begin(directoryId);
  await stores.syncs.end(directoryId, requested, { state: 'succeeded' });
  await stores.runs.requestScheduled(directoryId);
  expect(await stores.syncs.begin({ directoryId, workflowRun: newId() })).toEqual(expect.any(String));
});

it('fails after three processes in a row abandoned it, not counting orderly stops', async () => {
  let process = 0;
  const begin = () => stores.syncs.begin({ directoryId, workflowRun: `process-${(process += 1)}/run` });
  await request();
  for (let stops = 0; stops < 5; stops += 1) await stores.syncs.leave(directoryId, (await begin())!);
  for (let deaths = 0; deaths < 3; deaths += 1) expect(await begin()).toEqual(expect.any(String));
  expect(await begin()).toBeUndefined();
  const {
    resources: [newest],
  } = await stores.runs.list(directoryId, { offset: 0, limit: 1 });
  expect(newest).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('each of the 3 times') } });
  expect(await operatorEventsOf('dsync.sync_failed')).toHaveLength(1);
});
