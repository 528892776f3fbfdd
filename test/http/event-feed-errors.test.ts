import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getFeed, readFeed, errorIn, type FeedQuery } from '../support/feed-requests.ts';
import { request, shareTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const get = (query: FeedQuery) => getFeed(service, query);
const read = (query: FeedQuery) => readFeed(service, query);

it('requires an API key', async () => {
  const directory = await service.createDirectory();
  for (const authorization of ['', 'Api-Key wrong', `Bearer ${directory.secret}`]) {
    const response = await request(`${service.baseUrl}/api/v1/events?directory_id=${directory.id}`, 'GET', undefined, { authorization });
    expect(errorIn(response)).toEqual([401, null, 'unauthorized', undefined]);
  }
});

describe('an invalid request', () => {
  const time = '2026-01-01T00:00:00Z';
  it.each<[string, FeedQuery, string]>([
    ['a negative limit', { limit: -1 }, 'limit'],
    ['a limit that is not a number', { limit: 'many' }, 'limit'],
    ['half a limit', { limit: 1.5 }, 'limit'],
    ['an unknown order', { order: 'random' }, 'order'],
    ['too long a wait', { wait: 26 }, 'wait'],
    ['a negative wait', { wait: -1 }, 'wait'],
    ['a wait that is not a number', { wait: 'long' }, 'wait'],
    ['a wait for the past', { wait: 1, order: 'desc' }, 'wait'],
    ['an invalid date', { range_start: 'yesterday' }, 'range_start'],
    ['a day that does not exist', { range_end: '2026-02-30T00:00:00Z' }, 'range_end'],
    ['a time without a zone', { range_start: '2026-01-01T00:00:00' }, 'range_start'],
    ['a reversed range', { range_start: time, range_end: '2025-01-01T00:00:00Z' }, 'range_end'],
    ['an empty range', { range_start: time, range_end: time }, 'range_end'],
    ['a cursor and a beginning', { after: 'x', range_start: time }, 'range_start'],
    ['a parameter given twice', { after: ['a', 'b'] }, 'after'],
    ['a tenant without a product', { tenant: 'acme' }, 'product'],
    ['two directories', { directory_id: 'a', directoryId: 'b' }, 'directory_id'],
    ['a NUL character', { tenant: 'a\0', product: 'b' }, 'tenant'],
  ])('with %s is rejected with the reason', async (_title, query, field) => {
    const response = await get(query);
    expect(errorIn(response)).toEqual([400, null, 'invalid_request', field]);
    expect(response.body.error.message).toContain(field);
  });

  it('with an unknown type gets the list of types', async () => {
    const response = await get({ events: 'user.created,user.exploded' });
    expect(errorIn(response)).toEqual([400, null, 'invalid_request', 'events']);
    for (const type of ['user.created', 'group.user_removed']) expect(response.body.error.message).toContain(type);
    expect(response.body.error.message).not.toContain('exploded');
  });

  it('is a 404 for an unknown directory, and for one of another tenant', async () => {
    const { id } = await service.createDirectory({ tenant: 'mine' });
    const unknownId = '00000000-0000-7000-8000-000000000000';
    for (const query of [
      { directory_id: 'x' },
      { directory_id: unknownId },
      { directory_id: id, tenant: 'theirs' },
      { directory_id: id, tenant: 'mine', product: 'other' },
      { directory_id: unknownId, wait: 20 },
      { tenant: 'nobody', product: 'app' },
    ])
      expect(errorIn(await get(query))).toEqual([404, null, 'not_found', undefined]);
  });

  it('with a cursor of another feed is rejected', async () => {
    const [one, other] = [await service.createDirectory({ tenant: 'forged' }), await service.createDirectory({ tenant: 'forged' })];
    const query = { directory_id: one.id };
    const { after } = await read(query);
    const ofScim = (await one.scim('GET', '/Users?cursor&count=1')).body.nextCursor as string | undefined;
    const foreign = await Promise.all([read({ directory_id: other.id }), read({ tenant: 'forged', product: 'app' }), read({ limit: 1 })]);
    const forged = [
      ...foreign.map((page) => page.after),
      ofScim ?? 'x',
      'MTIz',
      after.slice(0, -1),
      `${after.slice(0, -2)}${after.endsWith('A') ? 'B' : 'A'}A`,
      'x'.repeat(5000),
      '%00',
    ];
    for (const cursor of forged) expect(errorIn(await get({ ...query, after: cursor }))).toEqual([400, null, 'invalid_request', 'after']);
    expect(errorIn(await get({ after }))).toEqual([400, null, 'invalid_request', 'after']);
    expect((await get({ ...query, after })).status).toBe(200);
  });

  it('with another method is rejected', async () => {
    expect((await service.api('POST', '/api/v1/events', {})).status).toBe(405);
  });
});
