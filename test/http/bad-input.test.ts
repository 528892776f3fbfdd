import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ada, apiKey, startTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await startTestService({ MAX_BODY_BYTES: '20000' }, { deliver: false });
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('a pushed user', () => {
  it.each([
    ['not JSON', '{"userName":', 400, 'invalidSyntax'],
    ['an empty body', ' ', 400, 'invalidSyntax'],
    ['no body at all', '', 400, 'invalidSyntax'],
    ['an invalid number', '{"userName":"a","x":1e400}', 400, 'invalidSyntax'],
    ['a very long number', '{"userName":"a","x":[1e308]}', 400, 'invalidSyntax'],
    ['a duplicate attribute', '{"userName":"a","USERNAME":"b"}', 400, 'invalidSyntax'],
    ['a duplicate attribute in the same spelling', '{"userName":"a","x":{"y":":","z":1,"y" : 2}}', 400, 'invalidSyntax'],
    ['an exactly duplicated attribute', '{"userName":"a","userName":"a"}', 400, 'invalidSyntax'],
    ['a list', '[]', 400, 'invalidSyntax'],
    ['a string', '"ada"', 400, 'invalidSyntax'],
    ['null', 'null', 400, 'invalidSyntax'],
    ['no user name', '{}', 400, 'invalidValue'],
    ['an empty user name', '{"userName":" "}', 400, 'invalidValue'],
    ['a number for a user name', '{"userName":7}', 400, 'invalidValue'],
    ['a user name too long for the index', JSON.stringify({ userName: 'é'.repeat(501) }), 400, 'invalidValue'],
    ['a name that is text', '{"userName":"a","name":"Ada"}', 400, 'invalidValue'],
    ['a given name that is a list', '{"userName":"a","name":{"givenName":["a","b"]}}', 400, 'invalidValue'],
    ['e-mails that are a number', '{"userName":"a","emails":7}', 400, 'invalidValue'],
    ['an e-mail that is a number', '{"userName":"a","emails":[{"value":1}]}', 400, 'invalidValue'],
    ['active as text', '{"userName":"a","active":"maybe"}', 400, 'invalidValue'],
    ['active that is an object', '{"userName":"a","active":{}}', 400, 'invalidValue'],
    ["another resource's schemas", '{"userName":"a","schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"]}', 400, 'invalidSyntax'],
    ['schemas that are not text', '{"userName":"a","schemas":[1]}', 400, 'invalidValue'],
    ['an externalId that is a number', '{"userName":"a","externalId":1}', 400, 'invalidValue'],
    ['a NUL character', '{"userName":"a\\u0000"}', 400, 'invalidSyntax'],
    ['a NUL character in a name', '{"userName":"a","x\\u0000":1}', 400, 'invalidSyntax'],
    ['a lone surrogate', '{"userName":"a\\ud800"}', 400, 'invalidSyntax'],
    ['a lone surrogate somewhere deep', '{"userName":"a","x":[{"y":"\\udc00"}]}', 400, 'invalidSyntax'],
    ['too deep a nesting', `{"userName":"a","x":${deep(70)}}`, 400, 'invalidSyntax'],
    ['very deep a nesting', `{"userName":"a","x":${deep(9000)}}`, 400, 'invalidSyntax'],
    ['too large a body', JSON.stringify({ userName: 'a', note: 'x'.repeat(20_000) }), 413, undefined],
  ])('with %s is rejected', async (_title, body, status, scimType) => {
    const response = await directory.scim('POST', '/Users', body);
    expect(response.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(response).toMatchObject({
      status,
      body: { schemas: [expect.stringContaining(':Error')], status: String(status), detail: expect.any(String) },
    });
    expect(response.body.scimType).toBe(scimType);
    expect((await directory.scim('GET', '/Users')).body.totalResults).toBe(0);
  });

  it('is rejected with another content type, or compressed', async () => {
    expect((await directory.scim('POST', '/Users', '<user/>', { 'content-type': 'application/xml' })).status).toBe(415);
    expect((await directory.scim('POST', '/Users', '{}', { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('may have attribute names that are special in JavaScript', async () => {
    const strange = await service.createDirectory();
    const body = '{"userName":"a","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"x"}';
    const made = await strange.scim('POST', '/Users', body);
    expect(made.status).toBe(201);
    const read = await fetch(`${service.baseUrl}/api/scim/v2.0/${strange.id}/Users/${made.body.id}`, {
      headers: { authorization: `Bearer ${strange.secret}` },
    });
    expect(await read.text()).toContain('"__proto__":{"polluted":true}');
    expect({}).not.toHaveProperty('polluted');
  });

  it('is accepted with attribute names in any case, nulls, and booleans as strings', async () => {
    const lenient = await service.createDirectory();
    const made = await lenient.scim('POST', '/Users', {
      USERNAME: 'a',
      Active: 'False',
      name: null,
      emails: null,
      externalId: null,
      Password: 'x',
    });
    expect(made).toMatchObject({ status: 201, body: { userName: 'a', active: false } });
    expect(JSON.stringify(made.body)).not.toMatch(/password/i);
  });

  it('is accepted as application/json with a charset', async () => {
    const made = await directory.scim('POST', '/Users', ada, { 'content-type': 'application/json; charset=utf-8' });
    expect(made.status).toBe(201);
    await directory.scim('DELETE', `/Users/${made.body.id}`);
  });
});

it('rejects invalid UTF-8', async () => {
  const response = await fetch(`${service.baseUrl}/api/scim/v2.0/${directory.id}/Users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${directory.secret}`, 'content-type': 'application/scim+json' },
    body: Buffer.from([0x7b, 0xff, 0x7d]),
  });
  expect([response.status, ((await response.json()) as { scimType: string }).scimType]).toEqual([400, 'invalidSyntax']);
});

it.each([
  ...['userName', 'userName eq', 'userName is "a"', `userName eq "a\\u0000"`, `userName eq "a\\q"`].map((filter) => [
    filter,
    'invalidFilter',
  ]),
  ['('.repeat(8000), 'tooMany'],
])('rejects an invalid filter: %.30s', async (filter, scimType) => {
  const response = await directory.scim('GET', `/Users?filter=${encodeURIComponent(filter)}`);
  expect(response).toMatchObject({ status: 400, body: { scimType } });
});

it('responds with 404 to IDs that are not UUIDs, in the right format', async () => {
  for (const id of ['x', '%00', "1' or '1'='1", '%E0%A4%A'])
    for (const method of ['GET', 'DELETE'])
      expect(await directory.scim(method, `/Users/${id}`)).toMatchObject({ status: 404, body: { status: '404' } });
});

it('accepts a path with an empty segment, as Entra sends it', async () => {
  expect((await directory.scim('GET', '//Users?aadOptscim062020')).status).toBe(200);
  expect((await directory.scim('GET', '//Users?aadOptscim062020', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
});

it('responds to unknown paths and methods in the format of the prefix', async () => {
  expect(await directory.scim('GET', '/Nothing')).toMatchObject({ status: 404, body: { status: '404' } });
  const wrong = await directory.scim('PUT', '/Users', {});
  expect(wrong).toMatchObject({ status: 405, body: { status: '405' } });
  expect(wrong.headers.get('allow')).toMatch(/GET/);
  expect(await service.api('GET', '/api/v1/nothing')).toMatchObject({ status: 404, body: { data: null, error: { code: 'not_found' } } });
  const put = await service.api('PUT', '/api/v1/directory-sync');
  expect(put).toMatchObject({ status: 405, body: { error: { code: 'method_not_allowed' } } });
  expect(put.headers.get('allow')).toMatch(/POST/);
  expect(await service.api('GET', '/nowhere')).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect(await service.api('GET', '/api/scim/x')).toMatchObject({ status: 404, body: { status: '404' } });
});

it('rejects a body that is too large, also in the JSON API', async () => {
  const large = JSON.stringify({ tenant: 'a', product: 'b', name: 'x'.repeat(20_000) });
  expect(await service.api('POST', '/api/v1/directory-sync', large)).toMatchObject({
    status: 413,
    body: { error: { code: 'payload_too_large' } },
  });
});

it('names a duplicate key, and accepts colons in strings', async () => {
  const twice = await service.api('POST', '/api/v1/directory-sync', '{"tenant":"a","product":"b","name":"x","name":"y"}');
  expect(twice).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', field: 'name' } } });
  const colons = await service.createDirectory();
  const made = await colons.scim('POST', '/Users', '{"userName" : "a:b", ":" :\n":", "x:y":["\\u003a",{":":"é:"}], "schemas":[]}');
  expect(made).toMatchObject({ status: 201, body: { userName: 'a:b', ':': ':', 'x:y': [':', { ':': 'é:' }] } });
});

it('never logs a secret, a query or a body', async () => {
  await directory.scim('GET', '/Users?filter=userName%20eq%20%22hidden@example.com%22');
  await directory.scim('POST', '/Users', { userName: 'hidden@example.com' });
  const logs = JSON.stringify(service.logs);
  expect(logs).toContain('/Users');
  for (const secret of ['hidden@example.com', directory.secret, apiKey]) expect(logs).not.toContain(secret);
  expect(service.logs.filter(({ status }) => Number(status) >= 500)).toEqual([]);
});
