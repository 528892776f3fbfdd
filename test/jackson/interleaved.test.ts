import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AsyncResource } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http, { Agent, createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { controllers, type SAMLJackson } from '../../src/jackson/index.ts';
import { cloneDatabase } from '../support/database.ts';
import type { ScimBody } from '../support/library.ts';

const tenants = ['acme', 'globex'];
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let jackson: SAMLJackson;
beforeAll(async () => {
  database = await cloneDatabase();
  jackson = await controllers({
    externalUrl: 'https://app.example',
    db: { url: database.url, encryptionKey: randomBytes(16).toString('hex') },
  });
  for (const tenant of tenants) await populate(tenant);
});
afterAll(async () => {
  await jackson.close();
  await database.drop();
});

async function populate(tenant: string) {
  const { directories, requests } = jackson.directorySyncController;
  const { data: directory } = await directories.create({ tenant, product: 'crm' });
  const push = (resourceType: string, body: unknown) =>
    requests.handle({
      method: 'POST',
      body,
      directoryId: directory!.id,
      resourceType,
      resourceId: undefined,
      apiSecret: directory!.scim.secret,
      query: {},
    });
  const user = await push('Users', { userName: `someone@${tenant}.example` });
  await push('Groups', { displayName: `Everybody at ${tenant}`, members: [{ value: (user.data as ScimBody).id }] });
}

/**
 * All views are created before the first call. Polis keeps tenant and product on one shared object, so that each of the 200 calls would
 * use those of the last `setTenantAndProduct` and return users of globex.
 */
it('each of 200 interleaved calls for two tenants returns the data of the right tenant', async () => {
  const { users, groups } = jackson.directorySyncController;
  const calledTenants = Array.from({ length: 100 }, (_, call) => tenants[call % tenants.length]!);
  const views = calledTenants.map((tenant) => ({
    users: users.setTenantAndProduct(tenant, 'crm'),
    groups: groups.setTenantAndProduct(tenant, 'crm'),
  }));
  const found = await Promise.all(views.flatMap((view) => [view.users.getAll(), view.groups.getAll()]));
  const names = found.map(({ data }) => data?.map((item) => ('email' in item ? item.email : item.name)));
  expect(names).toEqual(calledTenants.flatMap((tenant) => [[`someone@${tenant}.example`], [`Everybody at ${tenant}`]]));
});

it('finds no resource of another tenant by its ID', async () => {
  const { users, groups } = jackson.directorySyncController;
  const [theirs, ours] = [users.setTenantAndProduct('globex', 'crm'), users.setTenantAndProduct('acme', 'crm')];
  const { data } = await theirs.getAll();
  expect(await ours.get(data![0]!.id)).toEqual({ data: null, error: { code: 404, message: 'User not found' } });
  const { data: theirGroups } = await groups.setTenantAndProduct('globex', 'crm').getAll();
  expect(await groups.setTenantAndProduct('acme', 'crm').isUserInGroup(theirGroups![0]!.id, data![0]!.id)).toBe(false);
  expect(await groups.setTenantAndProduct('globex', 'crm').isUserInGroup(theirGroups![0]!.id, data![0]!.id)).toBe(true);
});

/** What an application written for Polis does in each of its requests. */
async function readInTwoStatements(tenant: string, pause: () => Promise<unknown>) {
  const { users, groups } = jackson.directorySyncController;
  await pause();
  users.setTenantAndProduct(tenant, 'crm');
  groups.setTenantAndProduct(tenant, 'crm');
  await pause();
  const [first] = (await users.getAll()).data!;
  const [group] = (await groups.getAll()).data!;
  await pause();
  return [first!.email, group!.name, (await users.get(first!.id)).data?.email];
}

it.each([
  ['one turn', () => Promise.resolve()],
  ['a read of the database', () => jackson.rollcall.stats.get()],
])('each of 50 interleaved requests that call setTenantAndProduct first reads its own tenant, after %s', async (_wait, pause) => {
  const called = Array.from({ length: 50 }, (_, call) => tenants[call % tenants.length]!);
  const found = await Promise.all(called.map((tenant) => readInTwoStatements(tenant, pause)));
  expect(found).toEqual(called.map((tenant) => [`someone@${tenant}.example`, `Everybody at ${tenant}`, `someone@${tenant}.example`]));
});

it('fails rather than guesses where several tenants were set elsewhere', async () => {
  const { users, webhookLogs } = jackson.directorySyncController;
  await Promise.all(tenants.map(async (tenant) => Promise.resolve().then(() => users.setTenantAndProduct(tenant, 'crm'))));
  expect(await elsewhere(() => users.getAll())).toEqual({
    data: null,
    error: { code: 400, message: expect.stringContaining('setTenantAndProduct first in each request') },
  });
  await expect(webhookLogs.get('some')).rejects.toThrow('setTenantAndProduct first');
});

/** Node keeps what a handler enters on the connection, and continues the next request there. */
it('does not answer a request with the tenant of the request before on the same connection', async () => {
  const { users, groups } = jackson.directorySyncController;
  for (const tenant of tenants)
    await elsewhere(async () => (users.setTenantAndProduct(tenant, 'crm'), groups.setTenantAndProduct(tenant, 'crm')));
  const server = createServer((request, response) => {
    const tenant = request.url!.slice(1);
    if (tenant !== '') users.setTenantAndProduct(tenant, 'crm');
    const calls = [users.getAll(), Promise.resolve().then(() => users.getAll()), groups.getAll()];
    void Promise.all(calls).then((found) => response.end(JSON.stringify(found.map(({ data, error }) => error?.code ?? data!.length))));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const get = async (path: string) => {
    const request = http.get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', path, agent });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { found: await json(response), isReused: request.reusedSocket };
  };
  try {
    expect(await get('/acme')).toEqual({ found: [1, 1, 400], isReused: false });
    expect(await get('/')).toEqual({ found: [400, 400, 400], isReused: true });
    expect(await get('/globex')).toEqual({ found: [1, 1, 400], isReused: true });
  } finally {
    agent.destroy();
    server.close();
  }
});

it('remembers what was set elsewhere as long as it is the only tenant', async () => {
  const { webhookLogs } = jackson.directorySyncController;
  await elsewhere(async () => webhookLogs.setTenantAndProduct('acme', 'crm'));
  expect(await elsewhere(() => webhookLogs.getAll())).toEqual({ data: [] });
});

/** Runs in an asynchronous context of its own, as another request does. */
const outside = new AsyncResource('test');
const elsewhere = <T>(work: () => Promise<T>): Promise<T> => outside.runInAsyncScope(() => Promise.resolve().then(work));
