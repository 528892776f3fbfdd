import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import type { Knex } from 'knex';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { findRunningPostgres, findRunningTemporal } from '../../src/embedded/running-servers.ts';
import { openDatabase } from '../../src/store/database.ts';
import { scheduleIds, syncScheduleId } from '../../src/temporal/names.ts';
import { runRollcall } from '../cli/run-rollcall.ts';
import { createCookieBrowser } from '../support/cookie-browser.ts';
import { getFeed, readFeed } from '../support/feed-requests.ts';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { createPulledDirectory, googleEnv, hold, type PulledDirectory } from '../support/pulled-directories.ts';
import { startRollcall, type RunningRollcall } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { ada, request, toTestDirectory, type ServiceResponse, type TestDirectory } from '../support/service.ts';
import { createLink } from '../support/setup-links.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 300_000;
const apiKey = 'a-key-for-tests-with-enough-characters';
/** Maintenance runs every minute. Work that starts sooner does not depend on it. */
const soon = { timeoutMs: 30_000 };
const root = '/api/v1/directory-sync';

interface Place {
  service: RunningRollcall;
  db: Knex;
  api(method: string, path: string, body?: unknown): Promise<ServiceResponse>;
}

let folder: TemporaryFolder;
let receiver: Receiver;
let google: FakeGoogle;
let env: Record<string, string>;
let after: Place;
let [pushed, doomed]: TestDirectory[] = [];
let pulled: PulledDirectory;
let replayIds: string[];
let runInProgress: string;
/** Cursors of the feeds, from before and after the backup. */
let cursors: Record<'before' | 'ahead', { ofDirectory: string; acrossDirectories: string }>;

const at = (data: string) => ({ folder: folder.path, env: { ...env, ROLLCALL_DATA_DIR: folder.at(data) } });

async function start(data: string): Promise<Place> {
  const service = await startRollcall(at(data));
  return {
    service,
    db: openDatabase((await findRunningPostgres(folder.at(data)))!.url),
    api: (method, path, body) => request(`${service.baseUrl}${path}`, method, body, { authorization: `Api-Key ${apiKey}` }),
  };
}

async function create({ api, service }: Place, fields: Record<string, unknown>): Promise<TestDirectory> {
  const { body } = await api('POST', root, { tenant: 'acme', product: 'app', ...fields });
  return toTestDirectory(service.baseUrl, body.data);
}

const readCursors = async (place: Place) => ({
  ofDirectory: (await readFeed(place, { directory_id: pushed!.id })).after,
  acrossDirectories: (await readFeed(place, { limit: 100 })).after,
});

/** Two delivered events, and two replays of them: one that fails, and one that waits for the first. */
async function beginReplays(place: Place) {
  pushed = await create(place, { webhook_url: receiver.url, log_webhook_events: true });
  for (const userName of ['ada@example.com', 'ben@example.com'])
    expect((await pushed.scim('POST', '/Users', { ...ada, userName })).status).toBe(201);
  await until(() => receiver.received.length === 2);
  const state = async () => (await place.api('GET', `${root}/${pushed!.id}/delivery`)).body.data;
  await until(async () => (await state()).backlog === 0);
  receiver.respond = (response) => void response.writeHead(500).end();
  const replay = async (wanted: object) => {
    const { status, body } = await place.api('POST', `${root}/${pushed!.id}/replays`, wanted);
    expect([status, body.error]).toEqual([202, null]);
    return body.data.id as string;
  };
  replayIds = [await replay({ mode: 'range', from_sequence: 1, to_sequence: 2 }), await replay({ mode: 'single', sequence: 2 })];
  await until(() => receiver.received.length > 2);
}

/** Locks one of its users, so that its deletion waits. */
async function beginDeletion(place: Place) {
  doomed = await create(place, { tenant: 'doomed' });
  expect((await doomed.scim('POST', '/Users', ada)).status).toBe(201);
  const holder = await place.db.transaction();
  await holder('users').where({ directory_id: doomed.id }).forUpdate();
  expect((await place.api('DELETE', `${root}/${doomed.id}`)).status).toBe(200);
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await until(async () => (await place.db.raw(waiting)).rows.length > 0);
  return holder;
}

/** A run that waits for its first page. */
async function beginSync(place: Place) {
  google.addUser();
  google.addUser();
  pulled = await createPulledDirectory(place, google, { tenant: 'pulled' });
  const held = hold(google, pulled.isRequestFor('users'));
  runInProgress = await pulled.begin();
  await held.reached();
  await pulled.untilRun(runInProgress, ({ state }) => state === 'running');
  return held;
}

async function backUpAndRestore() {
  const before = await start('first');
  await beginReplays(before);
  const held = await beginSync(before);
  const cursorsBefore = await readCursors(before);
  const holder = await beginDeletion(before);
  const browser = createCookieBrowser(before.service.baseUrl);
  expect((await browser.api('POST', '/api/v1/sessions', { api_key: apiKey })).status).toBe(201);
  expect((await before.api('POST', '/api/v1/login-links')).status).toBe(201);
  await createLink(before);
  const backup = await runRollcall(['backup', folder.at('busy.backup'), '--with-keys'], at('first'));
  expect([backup.code, backup.stderr]).toEqual([0, expect.any(String)]);
  expect((await pushed!.scim('POST', '/Users', { ...ada, userName: 'later@example.com' })).status).toBe(201);
  await holder.rollback();
  cursors = { before: cursorsBefore, ahead: await readCursors(before) };
  await before.service.kill();
  await before.db.destroy();
  held.release();
  const restored = await runRollcall(['restore', folder.at('busy.backup')], at('second'));
  expect([restored.code, restored.stderr]).toEqual([0, expect.any(String)]);
}

const readOn = (cursor: string, query: object = {}) => getFeed(after, { ...query, after: cursor });

// In a block, so that its cleanup runs before that of the remaining processes.
describe('a restore', () => {
  beforeAll(async () => {
    [folder, receiver, google] = await Promise.all([temporaryFolder(), startReceiver(), startFakeGoogle()]);
    env = {
      PORT: String(await findFreePort()),
      API_KEYS: apiKey,
      WEBHOOK_RETRY_SCHEDULE: retryEvery(600),
      WEBHOOK_TIMEOUT_MS: '10000',
      ...googleEnv(google),
    };
    await backUpAndRestore();
    receiver.received.length = 0;
    receiver.respond = (response) => void response.end();
    after = await start('second');
  }, testTimeoutMs);
  afterAll(async () => {
    await after?.db.destroy();
    // Its servers stop with it, so that nothing is written any more.
    after?.service.signal('SIGTERM');
    await after?.service.exited;
    await Promise.all([receiver?.close(), google?.stop()]);
    await folder?.[Symbol.asyncDispose]();
  });

  it('finishes a replay that was in progress, and one that waited for it', async () => {
    const states = () =>
      Promise.all(replayIds.map(async (id) => (await after.api('GET', `${root}/${pushed!.id}/replays/${id}`)).body.data));
    await until(async () => (await states()).every(({ status }) => status === 'done'), soon);
    expect((await states()).map(({ total, done }) => [total, done])).toEqual([
      [2, 2],
      [1, 1],
    ]);
    const replayed = receiver.received.map(({ headers, event }) => [headers['webhook-replay'], event.sequence]);
    expect(replayed).toEqual([
      [replayIds[0], 1],
      [replayIds[0], 2],
      [replayIds[1], 2],
    ]);
  });

  it('brings no session, login link and setup link back', async () => {
    expect([await after.db('sessions'), await after.db('login_links'), await after.db('setup_links')]).toEqual([[], [], []]);
    expect(await after.db('audit_log').where({ action: 'sign_in.succeeded' })).toHaveLength(1);
  });

  it('finishes a deletion that was in progress, and hides its directory in the meantime', async () => {
    expect((await doomed!.scim('GET', '/Users')).status).toBe(401);
    expect((await after.api('GET', `${root}/${doomed!.id}`)).status).toBe(404);
    await until(async () => (await after.db('all_directories').where({ id: doomed!.id })).length === 0, soon);
    expect(await after.db('users').where({ directory_id: doomed!.id })).toEqual([]);
  });

  it('fails a sync run that was in progress, and syncs everything with a new run', async () => {
    await until(async () => (await pulled.runs())[0].state === 'succeeded', soon);
    expect(await pulled.runs()).toMatchObject([
      { state: 'succeeded', changed: { users: { created: 2 } } },
      { id: runInProgress, state: 'failed', error: { message: expect.stringContaining('database was restored') } },
    ]);
    const { health } = await pulled.get();
    expect(health).toMatchObject({ users: 2, sync: { state: 'succeeded', error: null } });
    const { events } = await readFeed(after, { directory_id: pulled.id });
    expect(events.map(({ event, sequence }) => [event, sequence])).toEqual([
      ['user.created', 1],
      ['user.created', 2],
    ]);
    // They are cleared after the run has ended.
    await until(async () => (await Promise.all(['sync_users', 'sync_changes'].map((table) => after.db(table)))).flat().length === 0);
  });

  it('creates the schedules again, including that of the Google directory', async () => {
    const temporal = await Connection.connect({ address: (await findRunningTemporal(folder.at('second')))! });
    try {
      for (const scheduleId of [scheduleIds.sweep, scheduleIds.retention, syncScheduleId(pulled.id)]) {
        const described = await until(() => temporal.workflowService.describeSchedule({ namespace: 'default', scheduleId }), soon);
        expect([scheduleId, described.schedule?.state?.paused]).toEqual([scheduleId, false]);
        expect(described.info?.futureActionTimes).not.toEqual([]);
      }
    } finally {
      await temporal.close();
    }
  });

  it('rejects a feed cursor that is ahead of the backup with 410, and accepts one that is behind it', async () => {
    const lost = await Promise.all([
      readOn(cursors.ahead.ofDirectory, { directory_id: pushed!.id }),
      readOn(cursors.ahead.acrossDirectories),
      // Transaction ids of another database have no meaning here.
      readOn(cursors.before.acrossDirectories),
    ]);
    expect(lost.map(({ status, body }) => [status, body.error.code])).toEqual(lost.map(() => [410, 'cursor_expired']));

    expect((await pushed!.scim('POST', '/Users', { ...ada, userName: 'new@example.com' })).status).toBe(201);
    const { status, body } = await readOn(cursors.before.ofDirectory, { directory_id: pushed!.id });
    expect([status, body.data.map(({ sequence }: { sequence: number }) => sequence)]).toEqual([200, [3]]);
  });
});
