import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import jackson, { type DirectorySyncEvent, type IDirectorySyncController, type SAMLJackson } from '../../src/jackson/index.ts';
import { cloneDatabase } from '../support/database.ts';
import type { ScimBody } from '../support/library.ts';
import { startTestJackson } from '../support/jackson.ts';
import { ada } from '../support/service.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let started: SAMLJackson;
let controller: IDirectorySyncController;
const defaultEvents: DirectorySyncEvent[] = [];
beforeAll(async () => {
  database = await cloneDatabase();
  started = await jackson({
    externalUrl: 'https://app.example',
    db: { engine: 'sql', type: 'postgres', url: database.url, encryptionKey: randomBytes(16).toString('hex') },
    dsync: {
      callback: async (event) => void defaultEvents.push(event),
      providers: { google: { clientId: 'client', clientSecret: 'secret' } },
    },
  });
  controller = started.directorySyncController;
});
afterAll(async () => {
  await started.close();
  await database.drop();
});

let count = 0;
async function createDirectory() {
  const owner = { tenant: `tenant-${(count += 1)}`, product: 'crm' };
  const { data } = await controller.directories.create({ ...owner, type: 'okta-scim-v2' });
  const events: DirectorySyncEvent[] = [];
  const callback = async (event: DirectorySyncEvent) => void events.push(event);
  const push = async (method: string, resourceType: string, body?: unknown, resourceId?: string) => {
    const request = { method, body, directoryId: data!.id, resourceType, resourceId, apiSecret: data!.scim.secret, query: {} };
    return (await controller.requests.handle(request, callback)) as { status: number; data: ScimBody };
  };
  return { ...owner, directory: data!, events, push };
}

it('creates, changes, lists and deletes directories', async () => {
  const { directories } = controller;
  const { tenant, directory } = await createDirectory();
  expect(directory).toMatchObject({ tenant, scim: { endpoint: `https://app.example/api/scim/v2.0/${directory.id}` } });
  expect(
    await directories.update(directory.id, { name: 'Renamed', webhook_url: 'https://hook.example', webhook_secret: 'secret' }),
  ).toMatchObject({
    data: { name: 'Renamed', webhook: { endpoint: 'https://hook.example', secret: 'secret' } },
    error: null,
  });
  expect(await directories.getByTenantAndProduct(tenant, 'crm')).toMatchObject({ data: [{ id: directory.id }] });
  expect(await directories.filterBy({ product: 'crm', provider: 'google' })).toEqual({ data: [], error: null });
  expect((await directories.filterBy({ product: 'crm', provider: 'okta-scim-v2' })).data!.map(({ id }) => id)).toContain(directory.id);
  expect((await directories.getAll()).data!.map(({ id }) => id)).toContain(directory.id);
  expect(await directories.filterBy({ product: 'crm', pageLimit: 1 })).toMatchObject({ data: [{ id: directory.id }] });
  expect(await directories.delete(directory.id)).toEqual({ data: null, error: null });
  expect(await directories.get(directory.id)).toEqual({ data: null, error: { code: 404, message: expect.any(String) } });
});

it('returns the status as the code of an error', async () => {
  const { directories } = controller;
  expect(await directories.create({ tenant: 'a:b', product: 'crm' })).toEqual({
    data: null,
    error: { code: 400, message: expect.stringContaining('tenant') },
  });
});

it('handles what identity providers push, and calls the given callback for each change', async () => {
  const { tenant, product, directory, events, push } = await createDirectory();
  const created = await push('POST', 'Users', ada);
  expect(created).toMatchObject({ status: 201, data: { userName: 'ada@example.com' } });
  await push('POST', 'groups', { displayName: 'Engines', members: [{ value: created.data.id }] });
  expect(events).toMatchObject([
    { event: 'user.created', tenant, product, directory_id: directory.id, data: { email: 'ada@example.com', first_name: 'Ada' } },
    { event: 'group.created', data: { name: 'Engines' } },
    { event: 'group.user_added', data: { email: 'ada@example.com', group: { name: 'Engines' } } },
  ]);
  expect(defaultEvents.filter(({ directory_id: id }) => id === directory.id)).toEqual([]);
  expect(await push('GET', 'Schemas')).toMatchObject({ status: 200 });
  expect(await push('GET', 'Nonsense')).toMatchObject({ status: 404 });
});

it('calls the callback of the options for changes without a callback', async () => {
  const { directory } = await createDirectory();
  const request = { method: 'POST', body: ada, directoryId: directory.id, resourceType: 'Users', resourceId: undefined, query: {} };
  expect(await controller.requests.handle({ ...request, apiSecret: null })).toMatchObject({ status: 401 });
  expect(await controller.requests.handle({ ...request, apiSecret: directory.scim.secret })).toMatchObject({ status: 201 });
  expect(defaultEvents.filter(({ directory_id: id }) => id === directory.id)).toMatchObject([{ event: 'user.created' }]);
});

it('reads users and groups', async () => {
  const { tenant, product, directory, push } = await createDirectory();
  const { data: user } = await push('POST', 'Users', ada);
  const { data: group } = await push('POST', 'Groups', { displayName: 'Engines', members: [{ value: user.id }] });
  const users = controller.users.setTenantAndProduct(tenant, product);
  const groups = controller.groups.setTenantAndProduct(tenant, product);
  expect(await users.getAll({ pageOffset: 0, pageLimit: 10 })).toMatchObject({ data: [{ id: user.id, email: 'ada@example.com' }] });
  expect(await users.get(user.id)).toMatchObject({ data: { last_name: 'Lovelace' } });
  expect(await users.search('ada@example.com', directory.id)).toMatchObject({ data: [{ id: user.id }] });
  expect(await users.search('grace@example.com', directory.id)).toEqual({ data: [], error: null });
  expect(await groups.getAll()).toMatchObject({ data: [{ id: group.id, name: 'Engines' }] });
  expect(await groups.get(group.id)).toMatchObject({ data: { name: 'Engines' } });
  expect(await groups.getGroupMembers({ groupId: group.id })).toEqual({ data: [{ user_id: user.id }], error: null });
  expect(await groups.search('Engines', directory.id)).toMatchObject({ data: [{ id: group.id }] });
  expect(await controller.users.getAll({ directoryId: directory.id })).toMatchObject({ data: [{ id: user.id }] });
});

it('does not report an outage as a missing group membership', async () => {
  const { tenant, product } = await createDirectory();
  const groups = controller.groups.setTenantAndProduct(tenant, product);
  expect(await groups.isUserInGroup('nothing', 'nobody')).toBe(false);
  const stopped = await startTestJackson();
  await stopped.stop();
  await expect(stopped.controller.groups.setTenantAndProduct(tenant, product).isUserInGroup('nothing', 'nobody')).rejects.toThrow(
    'stopped',
  );
});

it('reads and deletes the log of webhooks', async () => {
  const { tenant, product, directory } = await createDirectory();
  const logs = controller.webhookLogs.setTenantAndProduct(tenant, product);
  expect(await logs.getAll()).toEqual({ data: [] });
  await expect(controller.webhookLogs.setTenantAndProduct('another', product).deleteAll(directory.id)).rejects.toThrow(/There is no/);
  await expect(logs.deleteAll(directory.id)).resolves.toBeUndefined();
  expect(await logs.get('nothing')).toBeNull();
});

it('creates the address at which an administrator authorizes a Google directory', async () => {
  const { data: directory } = await controller.directories.create({ tenant: 'workspace', product: 'crm', type: 'google' });
  const { data } = await controller.google.generateAuthorizationUrl({ directoryId: directory!.id });
  const url = new URL(data!.authorizationUrl);
  expect(url.searchParams.get('client_id')).toBe('client');
  expect(url.searchParams.get('redirect_uri')).toBe('https://app.example/api/scim/oauth/callback');
  expect(await controller.google.setToken({ directoryId: directory!.id, accessToken: '', refreshToken: 'r' })).toMatchObject({
    error: { code: 400 },
  });
  expect(await controller.google.getAccessToken({ directoryId: 'nothing', code: 'c' })).toMatchObject({ error: { code: 404 } });
});

it('lists the providers, and syncs pulled directories if there are any', async () => {
  expect(Object.keys(controller.providers())).toEqual(expect.arrayContaining(['okta-scim-v2', 'google']));
  await expect(controller.sync()).resolves.toBeUndefined();
  await expect(controller.events.callback(defaultEvents[0]!)).resolves.toBeUndefined();
});

it('is imported as a function, or as an object with a function', () => {
  expect(jackson.controllers).toEqual(expect.any(Function));
});
