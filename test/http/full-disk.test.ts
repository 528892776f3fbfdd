import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let free = Infinity;
let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await startTestService(
    { MIN_FREE_DISK_BYTES: '1000', LOW_DISK_BYTES_PER_DIRECTORY: '20000' },
    { deliver: false, freeDiskBytes: () => Promise.resolve(free) },
  );
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

const readiness = () => service.api('GET', '/health/ready', undefined, { authorization: '' });

it('rejects changes while the disk is almost full, still reads, reports it in readiness, and recovers', async () => {
  const { scim } = directory;
  const { id } = (await scim('POST', '/Users', { userName: 'ada' })).body;
  free = 999;
  await until(async () => (await readiness()).status === 503);
  const { code, missing } = (await readiness()).body.error;
  expect([code, missing]).toEqual(['unavailable', [expect.stringContaining('MIN_FREE_DISK_BYTES')]]);
  const rejected = await Promise.all([
    scim('POST', '/Users', { userName: 'ben' }),
    scim('DELETE', `/Users/${id}`),
    scim('POST', '/Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [{ method: 'POST', path: '/Users', bulkId: '1', data: { userName: 'cem' } }],
    }),
  ]);
  for (const { status, headers, body } of rejected)
    expect([status, Number(headers.get('retry-after')) > 0, body.detail]).toEqual([503, true, missing[0]]);
  const headers = { authorization: `Bearer ${directory.secret}`, 'content-type': 'application/scim+json' };
  const url = `${service.baseUrl}/api/scim/v2.0/${directory.id}/Users/${id}`;
  expect((await fetch(url, { method: 'PUT', headers, body: 'This is not read.' })).status).toBe(503);
  expect((await scim('GET', `/Users/${id}`)).status).toBe(200);
  expect((await scim('GET', '/Users')).body.totalResults).toBe(1);
  expect((await service.api('GET', '/health/live')).status).toBe(200);
  free = Infinity;
  await until(async () => (await readiness()).status === 200);
  expect((await scim('POST', '/Users', { userName: 'ben' })).status).toBe(201);
  expect((await scim('GET', '/Users')).body.totalResults).toBe(2);
});

it('accepts only deletions from a directory over its share while the disk is low, and all changes of others', async () => {
  const [large, small] = [await service.createDirectory({ tenant: 'large' }), await service.createDirectory({ tenant: 'small' })];
  const created = await large.scim('POST', '/Users', { userName: 'ada', title: 'x'.repeat(12_000) });
  const { id } = created.body;
  await large.scim('POST', '/Users', { userName: 'eve' });
  const healthOf = async (one: TestDirectory) => (await service.api('GET', `/api/v1/directory-sync/${one.id}`)).body.data.health;
  expect((await healthOf(large)).only_deletions).toBeNull();
  free = 3_999;
  const reason = await until(async () => (await healthOf(large)).only_deletions as string | null);
  expect(reason).toMatch(/4000 free bytes \(LOW_DISK_BYTES\).*20000 \(LOW_DISK_BYTES_PER_DIRECTORY\)/);
  const bulk = (...operations: object[]) =>
    large.scim('POST', '/Bulk', { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations: operations });
  const create = { method: 'POST', path: '/Users', bulkId: '1', data: { userName: 'cem' } };
  const rejected = await Promise.all([
    large.scim('POST', '/Users', { userName: 'ben' }),
    large.scim('PUT', `/Users/${id}`, { userName: 'ada', title: 'short' }),
    bulk({ method: 'DELETE', path: `/Users/${id}` }, create),
  ]);
  for (const { status, headers, body } of rejected)
    expect([status, Number(headers.get('retry-after')) > 0, body.detail]).toEqual([503, true, reason]);
  const patched = async (change: object) => (await service.api('PATCH', `/api/v1/directory-sync/${large.id}`, change)).status;
  // A change of `inactive_users` may create events; sending the same value does not.
  expect([await patched({ inactive_users: 'delete' }), await patched({ name: 'Large', inactive_users: 'keep' })]).toEqual([503, 200]);
  expect((await readiness()).status).toBe(200);
  expect((await healthOf(small)).only_deletions).toBeNull();
  expect((await small.scim('POST', '/Users', { userName: 'ben' })).status).toBe(201);
  expect((await large.scim('GET', '/Users')).body.totalResults).toBe(2);
  expect((await large.scim('DELETE', `/Users/${id}`)).status).toBe(204);
  const [eve] = (await large.scim('GET', '/Users')).body.Resources;
  expect((await bulk({ method: 'DELETE', path: `/Users/${eve.id}` })).body.Operations[0].status).toBe('204');
  free = 4_000;
  await until(async () => (await healthOf(large)).only_deletions === null);
  expect((await large.scim('POST', '/Users', { userName: 'ben' })).status).toBe(201);
});
