import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createClient, type Client, type CreatedDirectory, type DirectoryEvent } from '../../src/client/index.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { ada, apiKey, shareTestService, toTestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let receiver: Receiver;
let client: Client;

beforeAll(async () => {
  [service, receiver] = await Promise.all([shareTestService(), startReceiver()]);
  client = createClient({ baseUrl: service.baseUrl, apiKey });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const owner = { tenant: 'walk', product: 'client' };

async function createDirectory(more: { webhook_url?: string; log_webhook_events?: boolean } = {}): Promise<CreatedDirectory> {
  const { data, error, status } = await client.directories.create({ ...owner, type: 'okta-scim-v2', ...more });
  if (error) throw new Error(error.message);
  expect(status).toBe(201);
  return data;
}

it('goes from a new directory to a delivered event', async () => {
  const directory = await createDirectory({ webhook_url: receiver.url, log_webhook_events: true });
  const { scim } = toTestDirectory(service.baseUrl, directory);
  const user = await scim('POST', '/Users', ada);
  const group = await scim('POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Engineers',
    members: [{ value: user.body.id }],
  });

  const { id: directoryId } = directory;
  expect(await client.directories.list(owner)).toMatchObject({ data: [{ id: directoryId }], error: null, status: 200 });
  expect((await client.directories.get(directoryId)).data?.health.users).toBe(1);
  expect((await client.users.list({ directoryId })).data).toMatchObject([{ id: user.body.id, email: 'ada@example.com' }]);
  expect((await client.users.get(user.body.id as string, owner)).data?.first_name).toBe('Ada');
  expect(await client.groups.members(group.body.id as string, { ...owner, pageLimit: 100 })).toEqual({
    data: [{ user_id: user.body.id }],
    error: null,
    next_cursor: null,
    status: 200,
  });

  await until(async () => (await client.deliveries.state(directoryId)).data?.acked_sequence === 3);
  const deliveries = await client.deliveries.list(directoryId, { status: 'delivered' });
  expect(deliveries.data).toHaveLength(3);
  const one = await client.deliveries.get(directoryId, deliveries.data![0]!.id);
  expect(one.data?.attempt_log).toMatchObject([{ outcome: 'success', status_code: 200 }]);
});

it('reads the feed page by page', async () => {
  const directory = await createDirectory();
  const { scim } = toTestDirectory(service.baseUrl, directory);
  for (const userName of ['ada', 'grace', 'mary']) await scim('POST', '/Users', { ...ada, userName });

  const events: DirectoryEvent[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await client.events.list({ directoryId: directory.id, events: ['user.created', 'user.deleted'], limit: 2, after });
    if (page.error) throw new Error(page.error.message);
    events.push(...page.data);
    after = page.list_metadata.after ?? undefined;
    if (!page.list_metadata.has_more) break;
  }
  expect(events.map(({ event, sequence }) => [event, sequence])).toEqual([
    ['user.created', 1],
    ['user.created', 2],
    ['user.created', 3],
  ]);
});

it('waits for an event until the caller aborts', async () => {
  const directory = await createDirectory();
  const caller = new AbortController();
  const waiting = client.events.list({ directoryId: directory.id, wait: 25 }, { signal: caller.signal });
  caller.abort();
  expect((await waiting).error?.code).toBe('aborted');
});

it('updates, rotates, pauses, resumes and deletes', async () => {
  const { id } = await createDirectory({ webhook_url: receiver.url });
  expect((await client.directories.update(id, { name: 'Acme', deactivated: true })).data).toMatchObject({
    name: 'Acme',
    deactivated: true,
  });
  expect((await client.directories.rotateScimSecret(id)).data).toHaveProperty('secret');
  expect((await client.webhooks.rotateSecret(id, { overlap_seconds: 60 })).data?.secret).toMatch(/^whsec_/);
  expect((await client.deliveries.pause(id)).data?.status).toBe('paused');
  expect((await client.deliveries.resume(id, { from: 'backlog' })).data?.status).toBe('active');
  expect(await client.directories.delete(id)).toEqual({ data: {}, error: null, status: 200 });
  expect(await client.directories.get(id)).toMatchObject({ data: null, error: { code: 'not_found' }, status: 404 });
});

it('returns errors of the service with the invalid field', async () => {
  const { data, error, status } = await client.directories.create({ ...owner, tenant: 'a:b' });
  expect({ data, status }).toEqual({ data: null, status: 400 });
  expect(error).toMatchObject({ code: 'invalid_request', field: 'tenant', requestId: expect.stringMatching(/./) });
});

it('gets 401 with an invalid key', async () => {
  const stranger = createClient({ baseUrl: service.baseUrl, apiKey: 'another' });
  expect(await stranger.directories.list(owner)).toMatchObject({ data: null, error: { code: 'unauthorized' }, status: 401 });
});

it('says whether the service is ready', async () => {
  expect(await client.health.ready()).toEqual({ data: { status: 'ready' }, error: null, status: 200 });
});
