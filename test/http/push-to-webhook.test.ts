import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { ada, shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let receiver: Receiver;
let directory: TestDirectory;
beforeAll(async () => {
  [service, receiver] = await Promise.all([shareTestService(), startReceiver()]);
  directory = await service.createDirectory({ webhook_url: receiver.url, type: 'okta-scim-v2' });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

it('pushes a user, and delivers a webhook that a public library verifies', async () => {
  const pushed = await directory.scim('POST', '/Users', { ...ada, password: 'never kept' });
  expect(pushed.status).toBe(201);
  expect(pushed.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
  expect(pushed.headers.get('location')).toBe(`${service.baseUrl}/api/scim/v2.0/${directory.id}/Users/${pushed.body.id}`);
  expect(pushed.headers.get('etag')).toBe('W/"1"');
  expect(pushed.body).toMatchObject({ ...ada, active: true, meta: { resourceType: 'User', version: 'W/"1"' } });
  expect(pushed.body).not.toHaveProperty('password');

  const [first] = await until(() => receiver.received.length === 1 && receiver.received);
  expect(first!.event).toEqual({
    event: 'user.created',
    tenant: 'acme',
    product: 'app',
    directory_id: directory.id,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    sequence: 1,
    occurred_at: pushed.body.meta.created,
    reason: 'scim',
    data: {
      id: pushed.body.id,
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.com',
      active: true,
      raw: { ...ada, id: pushed.body.id },
    },
  });
  const verified = new Webhook(directory.webhookSecret).verify(first!.text, first!.headers as Record<string, string>);
  expect(verified).toEqual(first!.event);
});

it('reads the user back, by ID and by user name in another case', async () => {
  const [{ id }] = (await directory.scim('GET', '/Users')).body.Resources;
  expect((await directory.scim('GET', `/Users/${id}`)).body).toMatchObject({ ...ada, id });
  const found = await directory.scim('GET', `/Users?filter=${encodeURIComponent('userName eq "ADA@Example.com"')}`);
  expect(found.body).toMatchObject({ totalResults: 1, startIndex: 1, itemsPerPage: 1, Resources: [{ id }] });
  const missed = await directory.scim('GET', `/Users?filter=${encodeURIComponent('userName eq "nobody"')}`);
  expect(missed).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });
});

it('rejects a duplicate user name in any case, with a SCIM error', async () => {
  const rejected = await directory.scim('POST', '/Users', { ...ada, userName: 'ADA@EXAMPLE.COM' });
  expect(rejected).toMatchObject({
    status: 409,
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '409', scimType: 'uniqueness' },
  });
});

it('deletes the user once, emits an event, and frees the name', async () => {
  const [{ id }] = (await directory.scim('GET', '/Users')).body.Resources;
  expect(await directory.scim('DELETE', `/Users/${id}`)).toMatchObject({ status: 204, body: undefined });
  expect((await directory.scim('DELETE', `/Users/${id}`)).status).toBe(404);
  expect((await directory.scim('GET', `/Users/${id}`)).status).toBe(404);
  const again = await directory.scim('POST', '/Users', ada);
  expect(again.status).toBe(201);
  await until(() => receiver.received.length === 3);
  expect(receiver.received.map(({ event }) => [event.sequence, event.event, event.data.id])).toEqual([
    [1, 'user.created', id],
    [2, 'user.deleted', id],
    [3, 'user.created', again.body.id],
  ]);
});

it('pages with true totals in a stable order', async () => {
  const paged = await service.createDirectory();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await paged.scim('POST', '/Users', { userName: name });
  const page = async (query: string) => {
    const { body } = await paged.scim('GET', `/Users?${query}`);
    return [
      body.totalResults,
      body.startIndex,
      body.itemsPerPage,
      body.Resources.map((user: { userName: string }) => user.userName).join(''),
    ];
  };
  expect(await page('startIndex=2&count=2')).toEqual([5, 2, 2, 'bc']);
  expect(await page('startIndex=0&count=-1')).toEqual([5, 1, 0, '']);
  expect(await page('startIndex=9&count=5000')).toEqual([5, 9, 0, '']);
  expect(await page('count=nonsense')).toEqual([5, 1, 5, 'abcde']);
});
