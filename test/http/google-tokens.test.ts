import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { changed, createPulledDirectory, googleEnv, hold } from '../support/pulled-directories.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let google: FakeGoogle;
let service: TestService;
let operator: Receiver;
beforeAll(async () => {
  [google, operator] = await Promise.all([startFakeGoogle(), startReceiver()]);
  service = await startTestService({ ...googleEnv(google), WEBHOOK_URL: operator.url });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([google.stop(), operator.close()]);
});
beforeEach(() => {
  google.preset({});
  google.addUser({ primaryEmail: 'ada@acme.example' });
});

const columnsOf = (id: string) => service.db('directories').where({ id }).first();
const operatorEventsOf = (id: string) =>
  operator.received.map(({ event }) => event).filter(({ event, data }) => event === 'dsync.authorization_needed' && data.id === id);

it('reports that a directory whose authorization was revoked must be authorized, notifies the operator once, and recovers with new tokens', async () => {
  const [revoked, twin] = await Promise.all([
    createPulledDirectory(service, google, { name: 'Acme' }),
    createPulledDirectory(service, google),
  ]);
  await revoked.sync();
  await revoked.newEvents();
  google.revokeAuthorization();
  const other = await createPulledDirectory(service, google);

  const [run, alike, fine] = await Promise.all([revoked.sync(), twin.sync(), other.sync()]);
  expect([run.state, run.error, run.changed]).toEqual([
    'failed',
    { code: 'needs_authorization', message: expect.stringMatching(/[Aa]uthorize/) },
    changed(),
  ]);
  expect([alike.error.code, fine.state]).toEqual(['needs_authorization', 'succeeded']);
  expect(await revoked.get()).toMatchObject({
    google_authorization: 'needs_authorization',
    google_authorization_error: run.error.message,
  });
  expect(await other.get()).toMatchObject({ google_authorization: 'authorized', google_authorization_error: null });
  await until(() => operatorEventsOf(revoked.id).length > 0 && operatorEventsOf(twin.id).length > 0);
  expect(operatorEventsOf(revoked.id)).toEqual([
    {
      event: 'dsync.authorization_needed',
      tenant: 'acme',
      product: 'app',
      data: expect.objectContaining({ id: revoked.id, name: 'Acme', type: 'google', reason: run.error.message }),
      occurred_at: expect.any(String),
    },
  ]);

  const { google_access_token, google_refresh_token, google_groups } = await revoked.get();
  const back = await service.api('PATCH', revoked.path, { name: 'Acme', google_access_token, google_refresh_token, google_groups });
  expect(back.body.data.google_authorization).toBe('needs_authorization');
  const again = await revoked.requestSync();
  expect([again.status, again.body.error.message]).toEqual([400, run.error.message]);
  const { body } = await service.api('POST', '/api/v1/dsync/cron/sync-google');
  const started = new Set(body.data.directories.map((directory: Record<string, string>) => directory['directory_id']));
  expect([started.has(revoked.id), started.has(other.id)]).toEqual([false, true]);

  google.addUser({ primaryEmail: 'ben@acme.example' });
  const { accessToken, refreshToken, expiresAt } = google.issueTokens();
  const set = await service.api('POST', `${revoked.path}/google/token`, {
    access_token: accessToken,
    refresh_token: refreshToken,
    expiry_date: expiresAt.getTime(),
    scope: 'any',
    token_type: 'Bearer',
  });
  expect(set.body.data).toMatchObject({ google_authorization: 'authorized', google_authorization_error: null });
  const healed = await revoked.untilNewestEnded(3);
  expect([healed.state, healed.trigger, healed.changed]).toEqual(['succeeded', 'authorization', changed({ users: [1, 0, 0] })]);
  expect(await revoked.describeNewEvents()).toEqual(['user.created ben@acme.example']);
  expect(operatorEventsOf(revoked.id)).toHaveLength(1);
});

it('renews expired tokens, also during a run, and stores the new one encrypted', async () => {
  const team = google.addGroup({ name: 'Team' });
  const directory = await createPulledDirectory(service, google);
  google.expireAccessTokens();
  const end = google.before('members', ({ path }) => {
    if (!path.includes(team.id)) return;
    google.expireAccessTokens();
    end();
  });
  const run = await directory.sync();
  expect([run.state, run.notice]).toEqual(['succeeded', null]);
  const renewals = google.requests.filter(({ kind, form }) => kind === 'token' && form.get('refresh_token') === directory.refreshToken);
  expect(renewals).toHaveLength(2);
  const { google_access_token: shown } = await directory.get();
  expect([shown === directory.accessToken, shown]).toEqual([false, expect.stringMatching(/^ya29\.fake-/)]);
  const row = await columnsOf(directory.id);
  expect(row.google_token_expires_at.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
  const stored = JSON.stringify([row, await service.db('sync_runs')]);
  for (const secret of [shown, directory.accessToken, directory.refreshToken]) expect(stored).not.toContain(secret);

  await directory.sync();
  expect(google.requests.filter(({ kind, form }) => kind === 'token' && form.get('refresh_token') === directory.refreshToken)).toHaveLength(
    2,
  );
});

it('does not report a failure of the old authorization for a new one', async () => {
  const directory = await createPulledDirectory(service, google);
  const users = hold(google, directory.isRequestFor('users'));
  const runId = await directory.begin();
  await users.reached();
  google.revokeAuthorization();
  const { accessToken, refreshToken } = google.issueTokens();
  await service.api('POST', `${directory.path}/google/token`, { accessToken, refreshToken });
  users.release();
  const run = await directory.untilEnded(runId);
  expect(await directory.get()).toMatchObject({ google_authorization: 'authorized', google_access_token: accessToken });
  expect(operatorEventsOf(directory.id)).toEqual([]);
  expect([run.state, run.error.code, run.changed]).toEqual(['canceled', 'replaced', changed()]);
  const next = await directory.untilNewestEnded(2);
  expect([next.state, next.changed]).toEqual(['succeeded', changed({ users: [1, 0, 0] })]);
});

it('does not mix the users of two Workspaces when another one is authorized during a run', async () => {
  for (let number = 0; number < 20; number += 1) google.addUser();
  const directory = await createPulledDirectory(service, google);
  expect((await directory.sync()).state).toBe('succeeded');
  await directory.describeNewEvents();
  const groups = hold(google, directory.isRequestFor('groups'));
  const runId = await directory.begin();
  await groups.reached();
  google.preset({});
  google.addUser({ primaryEmail: 'eve@evil.example' });
  const { accessToken, refreshToken } = google.issueTokens();
  await service.api('POST', `${directory.path}/google/token`, { accessToken, refreshToken });
  groups.release();
  expect((await directory.untilEnded(runId)).error.code).toBe('replaced');
  expect((await directory.untilNewestEnded(3)).state).toBe('needs_confirmation');
  expect(await directory.describeNewEvents()).toEqual([]);
});

it('logs no token', () => {
  expect(service.logs.length).toBeGreaterThan(0);
  expect(JSON.stringify(service.logs)).not.toMatch(/ya29\.fake|1\/\/fake|GOCSPX/);
});
