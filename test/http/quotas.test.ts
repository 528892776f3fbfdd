import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '../support/until.ts';
import { apiKey, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService(
    {
      MAX_USERS_PER_DIRECTORY: '3',
      MAX_GROUPS_PER_DIRECTORY: '2',
      MAX_MEMBERS_PER_GROUP: '2',
      MAX_MEMBERSHIPS_PER_DIRECTORY: '3',
      DATABASE_POOL_SIZE: '16',
    },
    { deliver: false },
  );
});
afterAll(() => service.stop());

const healthOf = async ({ id }: { id: string }) => (await service.api('GET', `/api/v1/directory-sync/${id}`)).body.data.health;
const patch = (...Operations: object[]) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });
const adding = (value: string) => patch({ op: 'add', path: 'members', value: [{ value }] });
const post = (path: string, data: object) => ({ method: 'POST', path, bulkId: JSON.stringify(data), data });

it('responds with 403 and a SCIM error that names the limit and its setting, and shows the use in health', async () => {
  const directory = await service.createDirectory();
  const { scim } = directory;
  for (const userName of ['a', 'b', 'c']) expect((await scim('POST', '/Users', { userName })).status).toBe(201);
  const { status, headers, body } = await scim('POST', '/Users', { userName: 'd' });
  expect([status, headers.get('retry-after')]).toEqual([403, null]);
  expect(body).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '403',
    detail: expect.stringContaining('MAX_USERS_PER_DIRECTORY'),
  });

  const group = (await scim('POST', '/Groups', { displayName: 'g', members: [{ value: 'pending' }] })).body.id;
  const other = (await scim('POST', '/Groups', { displayName: 'h' })).body.id;
  expect((await scim('PATCH', `/Groups/${group}`, adding('b'))).status).toBe(204);
  expect((await scim('PATCH', `/Groups/${group}`, adding('c'))).body.detail).toContain('MAX_MEMBERS_PER_GROUP');
  expect((await scim('PUT', `/Groups/${other}`, { displayName: 'h', members: [{ value: 'b' }, { value: 'c' }] })).body.detail).toContain(
    'MAX_MEMBERSHIPS_PER_DIRECTORY',
  );
  expect((await scim('POST', '/Groups', { displayName: 'i' })).body.detail).toContain('MAX_GROUPS_PER_DIRECTORY');
  expect((await scim('GET', `/Groups/${other}`)).body.members ?? []).toEqual([]);

  expect((await healthOf(directory)).quotas).toEqual({
    users: { used: 3, limit: 3 },
    groups: { used: 2, limit: 2 },
    group_members: { used: 2, limit: 2 },
    groups_per_member: { used: 1, limit: 5_000 },
    memberships: { used: 2, limit: 3 },
    resource_bytes: { used: expect.any(Number), limit: 4_294_967_296 },
    undelivered_bytes: { used: expect.any(Number), limit: 1_073_741_824 },
    history_bytes: { used: expect.any(Number), limit: 1_073_741_824 },
    staged_bytes: { used: 0, limit: 4_294_967_296 },
    replays: { used: 0, limit: 20 },
    searches: { used: 0, limit: 1 },
    hourly_changes: { used: 10, limit: 200_000 },
  });
  await until(async () => (await healthOf(directory)).last_error?.status === 403);
  const metrics = await fetch(`${service.baseUrl}/metrics`, { headers: { authorization: `Api-Key ${apiKey}` } });
  expect(await metrics.text()).toMatch(/rollcall_quota_rejections_total\{quota="users"\} 1/);
});

it('leaves a directory that is full usable: updates and deletions work, and a deletion makes room', async () => {
  const { scim } = await service.createDirectory();
  const [first, second] = [
    (await scim('POST', '/Users', { userName: 'a' })).body.id,
    (await scim('POST', '/Users', { userName: 'b' })).body.id,
  ];
  await scim('POST', '/Users', { userName: 'c' });
  expect((await scim('POST', '/Users', { userName: 'd' })).status).toBe(403);
  expect((await scim('PATCH', `/Users/${first}`, patch({ op: 'replace', path: 'active', value: false }))).status).toBe(200);
  expect((await scim('PUT', `/Users/${first}`, { userName: 'renamed' })).status).toBe(200);
  expect((await scim('DELETE', `/Users/${second}`)).status).toBe(204);
  expect((await scim('POST', '/Users', { userName: 'd' })).status).toBe(201);
});

it('rejects an operation of a bulk by itself', async () => {
  const { scim } = await service.createDirectory();
  const { status, body } = await scim('POST', '/Bulk', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
    Operations: [
      ...['a', 'b', 'c', 'd'].map((userName) => post('/Users', { userName })),
      post('/Groups', { displayName: 'large', members: ['a', 'b', 'c'].map((value) => ({ value })) }),
      post('/Groups', { displayName: 'small', members: ['a', 'b'].map((value) => ({ value })) }),
    ],
  });
  expect(status).toBe(200);
  expect(body.Operations.map((operation: { status: string }) => operation.status)).toEqual(['201', '201', '201', '403', '403', '201']);
  expect(body.Operations[3].response.detail).toContain('MAX_USERS_PER_DIRECTORY');
});

it('accepts limits when a directory is created, and rejects invalid ones', async () => {
  const owner = { tenant: 'small', product: 'app' };
  const rejected = await service.api('POST', '/api/v1/directory-sync', { ...owner, quotas: { users: -1 } });
  expect([rejected.status, rejected.body.error.field]).toEqual([400, 'quotas.users']);
  const directory = await service.createDirectory({ ...owner, quotas: { users: 1 } });
  expect((await healthOf(directory)).quotas).toMatchObject({ users: { used: 0, limit: 1 }, group_members: { limit: 2 } });
  expect((await directory.scim('POST', '/Users', { userName: 'a' })).status).toBe(201);
  expect((await directory.scim('POST', '/Users', { userName: 'b' })).status).toBe(403);
});

it('lets one directory have limits of its own, and removes them', async () => {
  const directory = await service.createDirectory();
  const path = `/api/v1/directory-sync/${directory.id}`;
  const changed = await service.api('PATCH', path, { quotas: { users: 5, groups: 0 } });
  expect([changed.status, changed.body.data.quotas]).toEqual([200, undefined]);
  expect((await healthOf(directory)).quotas).toMatchObject({
    users: { used: 0, limit: 5 },
    groups: { limit: 0 },
    group_members: { limit: 2 },
  });
  expect((await directory.scim('POST', '/Groups', { displayName: 'g' })).body.detail).toContain(
    'at most 0 groups (quotas.groups of this directory)',
  );
  const made = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((userName) => directory.scim('POST', '/Users', { userName })));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(5);
  await service.api('PATCH', path, { name: 'still limited' });
  expect((await healthOf(directory)).quotas.users).toEqual({ used: 5, limit: 5 });
  await service.api('PATCH', path, { quotas: null });
  expect((await healthOf(directory)).quotas.users).toEqual({ used: 5, limit: 3 });
  expect((await directory.scim('GET', '/Users')).body.totalResults).toBe(5);
});

it.each([
  [{ users: -1 }, 'quotas.users'],
  [{ users: '7' }, 'quotas.users'],
  [{ groups: 1.5 }, 'quotas.groups'],
  [{ user: 7 }, 'quotas.user'],
  ['many', 'quotas'],
])('names the error in quotas %j', async (quotas, field) => {
  const { id } = await service.createDirectory();
  const { status, body } = await service.api('PATCH', `/api/v1/directory-sync/${id}`, { quotas });
  expect(status).toBe(400);
  expect(body.error.field).toBe(field);
});

it('limits replays that are running or queued, shows them in health, and accepts a limit for one directory', async () => {
  const directory = await service.createDirectory({ webhook_url: 'http://127.0.0.1:1/', log_webhook_events: true });
  const path = `/api/v1/directory-sync/${directory.id}`;
  await directory.scim('POST', '/Users', { userName: 'ada' });
  // No worker delivers here.
  await service.db('webhook_endpoints').where({ directory_id: directory.id }).update({ acked_sequence: 1 });
  await service.api('PATCH', path, { quotas: { replays: 2 } });
  const replay = () => service.api('POST', `${path}/replays`, { mode: 'single', sequence: 1 });
  const responses = await Promise.all([replay(), replay(), replay(), replay()]);
  expect(responses.map(({ status }) => String(status)).toSorted()).toEqual(['202', '202', '429', '429']);
  const { headers, body } = responses.find(({ status }) => status === 429)!;
  expect([headers.get('retry-after'), body.error]).toEqual([
    '5',
    {
      code: 'rate_limited',
      status: 429,
      message: expect.stringContaining('quotas.replays'),
    },
  ]);
  expect((await healthOf(directory)).quotas.replays).toEqual({ used: 2, limit: 2 });
  const { id } = responses.find(({ status }) => status === 202)!.body.data;
  expect((await service.api('POST', `${path}/replays/${id}/cancel`)).status).toBe(200);
  expect((await healthOf(directory)).quotas.replays).toEqual({ used: 1, limit: 2 });
  expect((await replay()).status).toBe(202);
});

const showing = (directory: { id: string }, used: number, limit: number) =>
  until(async () => {
    const { searches } = (await healthOf(directory)).quotas;
    return searches.used === used && searches.limit === limit;
  });

it('runs as many concurrent searches as the directory may have, and shows them in health', async () => {
  const [own, usual, none] = await Promise.all([service.createDirectory(), service.createDirectory(), service.createDirectory()]);
  await service.api('PATCH', `/api/v1/directory-sync/${own.id}`, { quotas: { searches: 2 } });
  await service.api('PATCH', `/api/v1/directory-sync/${none.id}`, { quotas: { searches: 0 } });
  const filter = encodeURIComponent('title co "x"');
  await service.db.transaction(async (trx) => {
    await trx.raw('lock table users in access exclusive mode');
    const searches = [own, usual].flatMap(({ scim }) => Array.from({ length: 3 }, () => scim('GET', `/Users?filter=${filter}`)));
    await Promise.all([showing(own, 2, 2), showing(usual, 1, 1)]);
    await trx.commit();
    expect((await Promise.all(searches)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  });
  const { status, body } = await none.scim('GET', `/Users?filter=${filter}`);
  expect([status, body.detail]).toEqual([403, expect.stringContaining('quotas.searches')]);
});
