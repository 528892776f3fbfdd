import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { beginUpload } from '../support/upload.ts';

const mib = 1_048_576;

let service: TestService;
let directory: TestDirectory;
let otherTenant: TestDirectory;
beforeAll(async () => {
  service = await startTestService({ MAX_BODIES_BYTES: String(12 * mib), SCIM_TIMEOUT_MS: '50000' });
  [directory, otherTenant] = [await service.createDirectory(), await service.createDirectory({ tenant: 'other-tenant' })];
});
afterAll(() => service.stop());

const bulkUrn = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
const text = (bytes: number) => 'x'.repeat(bytes);

describe('body', () => {
  it('of 10 MB of empty lists is rejected before it is parsed', async () => {
    const body = `{"schemas":["${bulkUrn}"],"Operations":[${'[],'.repeat(3_300_000)}[]]}`;
    const start = process.cpuUsage();
    const response = await directory.scim('POST', '/Bulk', body);
    const { user } = process.cpuUsage(start);
    expect(response).toMatchObject({ status: 413, body: { detail: expect.stringContaining('MAX_BODY_VALUES') } });
    expect(user / 1000).toBeLessThan(2_000);
  });

  it.each([
    ['/Users', { userName: 'a', note: text(2 * mib) }, '2097152 bytes'],
    ['/Groups', { displayName: 'a', note: text(6 * mib) }, '6291456 bytes (MAX_RESOURCE_BODY_BYTES)'],
    ['/Users/.search', { filter: text(70_000) }, '65536 bytes'],
    ['/Groups/.search', { filter: text(70_000) }, '65536 bytes'],
    ['/.search', { filter: text(70_000) }, '65536 bytes'],
    ['/Bulk', { schemas: [bulkUrn], note: text(10 * mib) }, '10485760 bytes (MAX_BODY_BYTES)'],
  ])('for %s has a limit of its own', async (path, body, limit) => {
    expect(await directory.scim('POST', path, body)).toMatchObject({ status: 413, body: { detail: expect.stringContaining(limit) } });
  });

  it('of the JSON API may have 64 KiB', async () => {
    expect(await service.api('POST', '/api/v1/directory-sync', { tenant: 'a', product: 'b', name: text(70_000) })).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large', message: expect.stringContaining('65536 bytes') } },
    });
  });

  it('keeps the digits of its integers, or is rejected with the position', async () => {
    const kept = await directory.scim('POST', '/Users', '{"userName":"big","n":9007199254740992,"m":100000000000000000000}');
    expect(kept).toMatchObject({ status: 201, body: { n: 2 ** 53, m: 1e20 } });
    const lossy = await directory.scim('POST', '/Users', '{"userName":"lossy","x":[0,{"badge":12345678901234567890}]}');
    expect(lossy).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue', detail: expect.stringContaining('x.1.badge') },
    });
    const api = await service.api('POST', '/api/v1/directory-sync', '{"tenant":"a","product":"b","name":9007199254740993}');
    expect(api).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', field: 'name' } } });
  });
});

describe('large bodies', () => {
  it('of one directory use at most half of the room; another tenant gets the other half, and small ones are always accepted', async () => {
    const uploads = [1, 2].map(() => beginUpload(service.baseUrl, directory, { bytes: 10 * mib, sent: 5 * mib }));
    const rejected = await until(() => uploads.find(({ status }) => status === 503));
    expect(rejected.retryAfter).toBe('5');
    expect((await directory.scim('POST', '/Users', { userName: 'small' })).status).toBe(201);
    const large = { schemas: [bulkUrn], Operations: [], note: text(5 * mib) };
    expect((await otherTenant.scim('POST', '/Bulk', large)).status).toBe(200);
    for (const upload of uploads) upload.leave();
    await until(async () => (await directory.scim('POST', '/Bulk', large)).status === 200);
  });

  it('of searches and of the JSON API are counted too, and their small ones are always accepted', async () => {
    const fill = [
      () => beginUpload(service.baseUrl, directory, { bytes: 10 * mib, sent: 5 * mib }),
      () => beginUpload(service.baseUrl, otherTenant, { bytes: 10 * mib, sent: 7 * mib - 50_000 }),
    ];
    let uploads = fill.map((one) => one());
    const search = '{"schemas":["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],"count":1}';
    const change = '{"name":"Renamed"}';
    const send = (bytes: number) =>
      Promise.all([
        ...['/Users/.search', '/.search'].map((path) => directory.scim('POST', path, search.padEnd(bytes))),
        service.api('PATCH', `/api/v1/directory-sync/${directory.id}`, change.padEnd(bytes)),
      ]);
    const rejected = await until(async () => {
      const responses = await send(60_000);
      // What is sent here may take the room of an upload.
      uploads = uploads.map((upload, index) => (upload.status === undefined ? upload : fill[index]!()));
      return responses.every(({ status }) => status === 503) && responses;
    });
    for (const { body } of rejected) expect(JSON.stringify(body)).toContain('MAX_BODIES_BYTES');
    expect((await send(30_000)).map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const upload of uploads) upload.leave();
    await until(async () => (await send(60_000)).every(({ status }) => status === 200));
  });

  it('have room again after each response', async () => {
    for (let time = 0; time < 6; time += 1)
      expect((await directory.scim('POST', '/Bulk', { schemas: [bulkUrn], Operations: [], note: text(5 * mib) })).status).toBe(200);
  });
});

describe('group', () => {
  it('of 50,000 members is created and replaced by one request each', async () => {
    const members = Array.from({ length: 50_000 }, (_, index) => ({ value: `member-${index}`, display: `Member ${index}` }));
    const made = await directory.scim('POST', '/Groups?excludedAttributes=members', { displayName: 'Everybody', members });
    expect(made).toMatchObject({ status: 201 });
    const set = await directory.scim('PUT', `/Groups/${made.body.id}?excludedAttributes=members`, {
      displayName: 'Everybody',
      members: members.slice(1),
    });
    expect(set).toMatchObject({ status: 200, body: { displayName: 'Everybody' } });
  });

  it('has members whose display is short, and a small document of its own', async () => {
    const long = await directory.scim('POST', '/Groups', { displayName: 'a', members: [{ value: 'x', display: text(501) }] });
    expect(long).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue', detail: expect.stringContaining('members.display') },
    });
    const large = await directory.scim('POST', '/Groups', { displayName: 'a', notes: [text(200_000), text(70_000)] });
    expect(large).toMatchObject({ status: 413, body: { detail: expect.stringContaining('262144 bytes') } });
  });
});

it('rejects a user of more than 20,000 JSON values, and reads one that was stored before', async () => {
  const x = Array.from({ length: 20_000 }, () => ({}));
  const made = await directory.scim('POST', '/Users', { userName: 'wide', x });
  expect(made).toMatchObject({ status: 413, body: { detail: expect.stringContaining('20000 JSON values') } });
  const old = await directory.scim('POST', '/Users', { userName: 'old' });
  await service
    .db('users')
    .where({ id: old.body.id })
    .update({ resource: JSON.stringify({ schemas: [userUrn], userName: 'old', x }) });
  expect((await directory.scim('GET', `/Users/${old.body.id}`)).body.x).toHaveLength(20_000);
  expect((await directory.scim('PATCH', `/Users/${old.body.id}`, { Operations: [{ op: 'remove', path: 'x' }] })).status).toBe(200);
});
