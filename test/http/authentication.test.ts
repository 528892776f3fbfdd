import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ada, apiKey, request, shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

it.each([
  ['no header', {}],
  ['a wrong key', { authorization: 'Api-Key wrong' }],
  ['no scheme', { authorization: apiKey }],
  ['a prefix of the key', { authorization: `Api-Key ${apiKey.slice(0, -1)}` }],
  ['an empty key', { authorization: 'Api-Key ' }],
])('responds with 401 to %s, also at unknown paths', async (_title, headers) => {
  for (const path of [
    '/api/v1/directory-sync?tenant=acme&product=app',
    '/api/v1/directory-sync/x',
    '/api/v1/nothing',
    '/api'.concat('/'),
  ]) {
    const { status, body } = await request(`${service.baseUrl}${path}`, 'GET', undefined, headers);
    expect([status, body.data, body.error.code]).toEqual([401, null, 'unauthorized']);
  }
});

it('accepts any scheme before the key, as Polis does', async () => {
  for (const scheme of ['Api-Key', 'Bearer', 'api-key'])
    expect((await service.api('GET', '/api/v1/dsync?tenant=a&product=b', undefined, { authorization: `${scheme} ${apiKey}` })).status).toBe(
      200,
    );
});

it('does not read a body before authentication', async () => {
  const { status } = await request(`${service.baseUrl}/api/v1/directory-sync`, 'POST', '{not json', {});
  expect(status).toBe(401);
});

it('responds the same way to an unknown directory, a pulled one and an invalid secret', async () => {
  const { id: pulled } = (await service.api('POST', '/api/v1/directory-sync', { tenant: 'a', product: 'b', type: 'google' })).body.data;
  const responses = await Promise.all(
    [
      [directory.id, 'Bearer wrong'],
      [directory.id, ''],
      ['00000000-0000-7000-8000-000000000000', `Bearer ${directory.secret}`],
      ['no-uuid', `Bearer ${directory.secret}`],
      ['%00', `Bearer ${directory.secret}`],
      [pulled, 'Bearer '],
      [pulled, 'Bearer undefined'],
      [directory.id, `Bearer ${apiKey}`],
    ].map(async ([id, authorization]) => {
      const { status, body, headers } = await request(`${service.baseUrl}/api/scim/v2.0/${id}/Users`, 'GET', undefined, {
        authorization: authorization!,
      });
      return { status, body, type: headers.get('content-type') };
    }),
  );
  expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
  expect(responses[0]).toMatchObject({ status: 401, body: { status: '401' }, type: 'application/scim+json; charset=utf-8' });
});

it("does not let one directory's secret reach another's users", async () => {
  const other = await service.createDirectory({ tenant: 'other' });
  const { id } = (await other.scim('POST', '/Users', ada)).body;
  expect((await directory.scim('GET', `/Users/${id}`)).status).toBe(404);
  expect((await directory.scim('DELETE', `/Users/${id}`)).status).toBe(404);
  expect((await directory.scim('GET', '/Users')).body.totalResults).toBe(0);
  expect((await other.scim('GET', `/Users/${id}`)).status).toBe(200);
});

it('rejects changes of a deactivated directory after authentication', async () => {
  const asleep = await service.createDirectory();
  await service.api('PATCH', `/api/v1/directory-sync/${asleep.id}`, { deactivated: true });
  expect(await asleep.scim('POST', '/Users', ada)).toMatchObject({ status: 403, body: { status: '403' } });
  expect((await asleep.scim('POST', '/Users', ada, { authorization: 'Bearer wrong' })).status).toBe(401);
  await service.api('PATCH', `/api/v1/directory-sync/${asleep.id}`, { deactivated: false });
  expect((await asleep.scim('GET', '/Users')).body.totalResults).toBe(0);
});

it('forbids caching below /api/, whatever the status', async () => {
  const path = '/api/v1/directory-sync';
  const responses = [
    await service.api('POST', path, { tenant: 'acme', product: 'app' }),
    await service.api('GET', `${path}/${directory.id}`),
    await service.api('POST', `${path}/${directory.id}/scim/secret/rotate`),
    await service.api('GET', `${path}/all`),
    await service.api('GET', '/api/v1/nothing'),
    await service.api('GET', path, undefined, { authorization: 'Api-Key wrong' }),
    await directory.scim('GET', '/Users'),
  ];
  expect(responses.map(({ headers }) => headers.get('cache-control'))).toEqual(responses.map(() => 'no-store'));
});
