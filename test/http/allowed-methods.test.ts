import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

const addresses: [string, string, string][] = [
  ['/api/v1/directory-sync', 'GET, HEAD, POST', 'PUT'],
  ['/api/v1/dsync', 'GET, HEAD, POST', 'DELETE'],
  ['/api/v1/directory-sync/x', 'DELETE, GET, HEAD, PATCH', 'POST'],
  ['/api/v1/directory-sync/users', 'GET, HEAD', 'POST'],
  ['/api/v1/directory-sync/users', 'GET, HEAD', 'DELETE'],
  ['/api/v1/dsync/groups', 'GET, HEAD', 'PATCH'],
  ['/api/v1/directory-sync/groups/x/members', 'GET, HEAD', 'PUT'],
  ['/api/v1/directory-sync/x/scim-requests', 'GET, HEAD', 'PROPFIND'],
  ['/api/v1/directory-sync/cron/process-events', 'GET, POST', 'PUT'],
  ['/api/v1/dsync/cron/sync-google', 'GET, POST', 'DELETE'],
  ['/health/live', 'GET, HEAD', 'POST'],
];

const scimAddresses: [string, string, string][] = [
  ['/Users', 'GET, HEAD, POST', 'PUT'],
  ['/Users/x', 'DELETE, GET, HEAD, PATCH, PUT', 'POST'],
  ['/Users/.search', 'POST', 'GET'],
  ['/Groups/.search', 'POST', 'DELETE'],
  ['/.search', 'POST', 'GET'],
  ['/Bulk', 'POST', 'GET'],
  ['/Schemas', 'GET, HEAD', 'POST'],
  ['//Users', 'GET, HEAD, POST', 'PROPFIND'],
];

it.each(addresses)('%s allows %s, lists them for OPTIONS, and rejects %s', async (path, allowed, wrong) => {
  const options = await service.api('OPTIONS', path);
  expect([options.status, options.headers.get('allow'), options.body]).toEqual([204, allowed, undefined]);
  const rejected = await service.api(wrong, path);
  expect(rejected).toMatchObject({ status: 405, body: { data: null, error: { code: 'method_not_allowed' } } });
  expect(rejected.headers.get('allow')).toBe(allowed);
});

it.each(scimAddresses)("a directory's %s allows %s, lists them for OPTIONS, and rejects %s", async (path, allowed, wrong) => {
  const options = await directory.scim('OPTIONS', path);
  expect([options.status, options.headers.get('allow'), options.body]).toEqual([204, allowed, undefined]);
  const rejected = await directory.scim(wrong, path);
  expect(rejected).toMatchObject({ status: 405, body: { status: '405', detail: expect.stringContaining(allowed) } });
  expect(rejected.headers.get('allow')).toBe(allowed);
});

it.each(['OPTIONS', 'PROPFIND', 'GET'])('%s is a 404 at unknown paths', async (method) => {
  for (const path of ['/nothing', '/api/v1/nothing', '/api/v1/directory-sync/users/x/y', '/health'])
    expect(await service.api(method, path)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  for (const path of ['', '/Robots', '/Users/x/y'])
    expect(await directory.scim(method, path)).toMatchObject({ status: 404, body: { status: '404' } });
});

it('lists no methods without valid credentials', async () => {
  for (const path of ['/api/v1/directory-sync', `/api/scim/v2.0/${directory.id}/Users`]) {
    const response = await service.api('OPTIONS', path, undefined, { authorization: 'Bearer wrong' });
    expect([response.status, response.headers.get('allow')]).toEqual([401, null]);
  }
});
