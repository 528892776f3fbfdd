import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let free = Infinity;
let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await startTestService({ MIN_FREE_DISK_BYTES: '1000' }, { deliver: false, freeDiskBytes: () => Promise.resolve(free) });
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
  expect((await scim('GET', `/Users/${id}`)).status).toBe(200);
  expect((await scim('GET', '/Users')).body.totalResults).toBe(1);
  expect((await service.api('GET', '/health/live')).status).toBe(200);
  free = 1000;
  await until(async () => (await readiness()).status === 200);
  expect((await scim('POST', '/Users', { userName: 'ben' })).status).toBe(201);
  expect((await scim('GET', '/Users')).body.totalResults).toBe(2);
});
