import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getFeed, readFeed, errorIn, type FeedQuery } from '../support/feed-requests.ts';
import { pushUsers } from '../support/push-users.ts';
import { ada, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { deliver: false });
});
afterAll(() => service.stop());

const get = (query: FeedQuery) => getFeed(service, query);
const read = (query: FeedQuery) => readFeed(service, query);
const sequences = (events: Record<string, unknown>[]) => events.map(({ sequence }) => sequence);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const hours = (n: number) => `2026-01-01T0${n}:00:00Z`;
const places = (events: Record<string, unknown>[]) => events.map(({ directory_id: id, sequence }) => [id, sequence]);

describe('the feed of a directory', () => {
  it('returns events in the form of webhooks', async () => {
    const directory = await service.createDirectory({ tenant: 'shapes' });
    const { body: user } = await directory.scim('POST', '/Users', ada);
    await directory.scim('DELETE', `/Users/${user.id}`);
    const { status, body } = await get({ directory_id: directory.id });
    expect(status).toBe(200);
    expect(Object.keys(body.data[0])).toEqual([
      'event',
      'tenant',
      'product',
      'directory_id',
      'data',
      'id',
      'sequence',
      'occurred_at',
      'reason',
    ]);
    expect(body).toEqual({
      data: [
        {
          event: 'user.created',
          tenant: 'shapes',
          product: 'app',
          directory_id: directory.id,
          data: {
            id: user.id,
            first_name: 'Ada',
            last_name: 'Lovelace',
            email: 'ada@example.com',
            active: true,
            raw: { ...ada, id: user.id },
          },
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          sequence: 1,
          occurred_at: expect.stringMatching(/^20..-..-..T..:..:..\....Z$/),
          reason: 'scim',
        },
        expect.objectContaining({ event: 'user.deleted', sequence: 2 }),
      ],
      error: null,
      list_metadata: { after: expect.stringMatching(/^[\w-]{40,400}$/), has_more: false },
    });
    expect((await read({ directoryId: directory.id.toUpperCase() })).events).toEqual(body.data);
    expect((await read({ directory_id: directory.id, tenant: 'shapes', product: 'app' })).events).toEqual(body.data);
  });

  it('can be paged in both directions', async () => {
    const directory = await service.createDirectory({ tenant: 'many' });
    const Operations = numbers(1000).map((n) => ({ method: 'POST', path: '/Users', bulkId: String(n), data: { userName: `user${n}` } }));
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'];
    expect((await directory.scim('POST', '/Bulk', { schemas, Operations })).status).toBe(200);
    for (const owner of [{ directory_id: directory.id }, { tenant: 'many', product: 'app' }]) {
      const walk = async (query: FeedQuery) => {
        const seen: unknown[] = [];
        let pages = 0;
        let after = '';
        for (let hasMore = true; hasMore; pages += 1) {
          const page = await read({ ...owner, ...query, after });
          seen.push(...sequences(page.events));
          ({ after, hasMore } = page);
        }
        return { seen, pages };
      };
      expect(await walk({ limit: 64 })).toEqual({ seen: numbers(1000), pages: 16 });
      expect(await walk({ limit: 300, order: 'desc' })).toEqual({ seen: numbers(1000).toReversed(), pages: 4 });
      expect(await walk({ limit: 100_000 })).toEqual({ seen: numbers(1000), pages: 1 });
      for (const query of [{}, { limit: 0 }, { limit: '' }]) expect((await read({ ...owner, ...query })).events).toHaveLength(50);
    }
  });

  it('filters by type', async () => {
    const directory = await service.createDirectory({ tenant: 'types' });
    const { body: user } = await directory.scim('POST', '/Users', { userName: 'ada' });
    await directory.scim('POST', '/Groups', { displayName: 'Team', members: [{ value: user.id }] });
    const typesOf = async (events: FeedQuery) => (await read({ directory_id: directory.id, ...events })).events.map(({ event }) => event);
    expect(await typesOf({})).toEqual(['user.created', 'group.created', 'group.user_added']);
    expect(await typesOf({ events: '' })).toHaveLength(3);
    expect(await typesOf({ events: 'group.user_added' })).toEqual(['group.user_added']);
    for (const events of ['user.created, group.created', ['user.created', 'group.created']])
      expect(await typesOf({ events })).toEqual(['user.created', 'group.created']);
    expect(await typesOf({ 'events[]': ['user.created', 'group.created'] })).toEqual(['user.created', 'group.created']);
    expect(await typesOf({ events: 'user.deleted' })).toEqual([]);
  });

  it('filters by time', async () => {
    const directory = await service.createDirectory({ tenant: 'times' });
    await pushUsers(directory, 'a', 'b', 'c');
    for (const n of numbers(3))
      await service
        .db('events')
        .where({ directory_id: directory.id, sequence: n })
        .update({ occurred_at: hours(n) });
    const query = { directory_id: directory.id };
    expect(sequences((await read({ ...query, range_start: hours(2) })).events)).toEqual([2, 3]);
    expect(sequences((await read({ ...query, range_end: hours(2) })).events)).toEqual([1]);
    expect(sequences((await read({ ...query, range_start: '2026-01-01T03:00:00+01:00', range_end: hours(3) })).events)).toEqual([2]);
    // The cursor contains the start of the range.
    const future = await read({ ...query, range_start: '2999-01-01T00:00:00Z' });
    await pushUsers(directory, 'd');
    expect((await read({ ...query, after: future.after })).events).toEqual([]);
    const last = await read({ ...query, range_start: hours(2), limit: 1, order: 'desc' });
    const rest = await read({ ...query, after: last.after, order: 'desc' });
    expect([...sequences(last.events), ...sequences(rest.events)]).toEqual([4, 3, 2]);
  });

  it('still returns an event whose body was deleted', async () => {
    const directory = await service.createDirectory({ tenant: 'emptied' });
    await pushUsers(directory, 'ada');
    await service.db('events').where({ directory_id: directory.id }).update({ data: null });
    expect((await read({ directory_id: directory.id })).events).toMatchObject([{ event: 'user.created', data: null, sequence: 1 }]);
  });

  it('reports missed events, and where to start again', async () => {
    const directory = await service.createDirectory({ tenant: 'swept' });
    await pushUsers(directory, 'a');
    const query = { directory_id: directory.id };
    const { after } = await read(query);
    await pushUsers(directory, 'b', 'c');
    await service.db('events').where(query).where('sequence', '<', 3).delete();
    await service.db('directories').where({ id: directory.id }).update({ swept_sequence: 2 });
    const response = await get({ ...query, after });
    expect(errorIn(response)).toEqual([410, null, 'cursor_expired', 'after']);
    const [, rangeStart] = /range_start=(\S+),/.exec(response.body.error.message as string)!;
    expect(sequences((await read({ ...query, range_start: rangeStart! })).events)).toEqual([3]);
    expect(sequences((await read(query)).events)).toEqual([3]);
  });
});

describe('the feed across directories', () => {
  it('returns those of a tenant and product, or all, in order within each directory', async () => {
    const owner = { tenant: 'several', product: 'app' };
    const start = await read({ order: 'desc', limit: 1 });
    const [one, two] = [await service.createDirectory(owner), await service.createDirectory(owner)];
    const stranger = await service.createDirectory({ tenant: 'stranger' });
    for (const directory of [one, stranger, two, stranger, one]) await pushUsers(directory, `user${randomUUID()}`);
    const mine = [
      [one.id, 1],
      [two.id, 1],
      [one.id, 2],
    ];
    expect(places((await read(owner)).events)).toEqual(mine);
    expect(places((await read({ after: start.after })).events)).toEqual([mine[0], [stranger.id, 1], mine[1], [stranger.id, 2], mine[2]]);
    const now = await read({ ...owner, order: 'desc', limit: 1 });
    expect(places(now.events)).toEqual([mine[2]]);
    await pushUsers(stranger, 'later');
    await pushUsers(two, 'later');
    expect(places((await read({ ...owner, after: now.after })).events)).toEqual([[two.id, 2]]);
  });
});
