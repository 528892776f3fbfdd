import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { healthStatuses, toSelectedStatuses } from '../../../src/directory/health/health-status.ts';
import { newId } from '../../../src/ids.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createDirectoryStore } from '../../../src/store/directories/directory-store.ts';
import { createSecretColumns } from '../../../src/store/encryption/secret-columns.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import type { DirectoryStore } from '../../../src/directory/ports.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let store: DirectoryStore;
beforeAll(async () => {
  database = await cloneDatabase();
  store = createDirectoryStore(
    database.db,
    createSecretColumns(createKeyring([randomBytes(32)])),
    createEmitOperatorEvent({ isHeard: false }),
    { staleAfterMs: 86_400_000 },
  );
});
afterAll(() => database.drop());

const longAgo = new Date(0);

async function addDirectory(type: string, fields: object, endpoint: object = {}): Promise<string> {
  const id = newId();
  await database.db('directories').insert({ id, tenant: newId(), product: 'p', name: 'n', type, created_at: longAgo, ...fields });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: id, url: 'receiver.example', ...endpoint });
  return id;
}
const addRun = (directoryId: string, state: string, more: object = {}) =>
  database.db('sync_runs').insert({ id: newId(), directory_id: directoryId, state, trigger: 'schedule', finished_at: new Date(), ...more });
const statusOf = async (id: string) => (await store.health(id))!.status;

it('shows the first that applies, in the documented order', async () => {
  const { db } = database;
  const id = await addDirectory(
    'google',
    { deactivated: true, google_authorization_error: 'gone', user_count: 1 },
    { status: 'disabled', first_failure_at: longAgo },
  );
  const set = (fields: object) => db('directories').where({ id }).update(fields);
  const setEndpoint = (fields: object) => db('webhook_endpoints').where({ directory_id: id }).update(fields);
  await addRun(id, 'needs_confirmation');
  const seen = [await statusOf(id)];
  const steps = [
    () => set({ deactivated: false }),
    () => setEndpoint({ status: 'active' }),
    () => set({ google_authorization_error: null, google_admin_email: 'admin@acme.example' }),
    () => db('sync_runs').where({ directory_id: id }).delete(),
    () => setEndpoint({ status: 'paused' }),
    () => setEndpoint({ status: 'active', first_failure_at: null }),
    () => set({ user_count: 0 }),
    () => addRun(id, 'succeeded'),
  ];
  for (const step of steps) {
    await step();
    seen.push(await statusOf(id));
  }
  expect(seen).toEqual([...healthStatuses]);
});

it('shows the last result of a sync, not the run in progress', async () => {
  const { db } = database;
  const id = await addDirectory('google', { google_admin_email: 'a@b.example' });
  const stopped = newId();
  await addRun(id, 'succeeded', { finished_at: new Date(Date.now() - 10_000) });
  await addRun(id, 'needs_confirmation', { id: stopped });
  await addRun(id, 'running', { finished_at: null });
  expect(await statusOf(id)).toBe('needs_confirmation');
  await db('sync_runs').where({ directory_id: id, state: 'running' }).update({ confirms: stopped });
  expect(await statusOf(id)).toBe('healthy');
  await db('sync_runs').where({ directory_id: id, state: 'running' }).update({ state: 'failed', finished_at: new Date() });
  expect(await store.health(id)).toMatchObject({ status: 'failing', advice: expect.stringContaining('sync') });
});

const listed = async (selection: Parameters<typeof toSelectedStatuses>[0]) =>
  (await store.list({}, { offset: 0, limit: 1_000 }, { among: toSelectedStatuses(selection) })).resources.map(
    ({ directory }) => directory.id,
  );

it('finds the directories with a health, and those that need attention', async () => {
  const failing = await addDirectory('okta-scim-v2', { user_count: 1 }, { first_failure_at: longAgo });
  const misconfigured = await addDirectory('okta-scim-v2', { user_count: 1 }, { status: 'misconfigured' });
  const without = await addDirectory('okta-scim-v2', {});
  expect(await listed('failing')).toContain(failing);
  expect(await listed('disabled')).toEqual([misconfigured]);
  expect(await listed('waiting_for_first_push')).toEqual([without]);
  const unhealthy = await listed('unhealthy');
  expect([unhealthy.includes(failing), unhealthy.includes(misconfigured), unhealthy.includes(without)]).toEqual([true, true, false]);
});

it('is never stale without the setting', async () => {
  const id = await addDirectory('okta-scim-v2', { user_count: 1 });
  expect(await statusOf(id)).toBe('stale');
  const unlimited = createDirectoryStore(
    database.db,
    createSecretColumns(createKeyring([randomBytes(32)])),
    createEmitOperatorEvent({ isHeard: false }),
  );
  expect((await unlimited.health(id))!.status).toBe('healthy');
});
