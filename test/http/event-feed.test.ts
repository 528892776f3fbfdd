import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import type { EventFeed } from '../../src/directory/event-feed/event-feed.ts';
import { eventFeedRoutes } from '../../src/http/routes/event-feed.ts';
import { ada, request, startTestService, type Answer, type TestDirectory, type TestService } from '../support/service.ts';
import { untilReadable } from '../support/readable.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { deliver: false });
});
afterAll(() => service.stop());

type Query = Record<string, string | number | string[]>;
function toSearch(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) search.append(name, String(one));
  return search.toString();
}
const get = (query: Query, on: Pick<TestService, 'api'> = service) => on.api('GET', `/api/v1/events?${toSearch(query)}`);
async function read(query: Query): Promise<{ events: Record<string, unknown>[]; after: string; hasMore: boolean }> {
  if (!('wait' in query)) await untilReadable(service.db);
  const { status, body } = await get(query);
  expect([status, body.error]).toEqual([200, null]);
  return { events: body.data, after: body.list_metadata.after, hasMore: body.list_metadata.has_more };
}
const refusal = ({ status, body }: Answer) => [status, body.data, body.error.code, body.error.field];
const sequences = (events: Record<string, unknown>[]) => events.map(({ sequence }) => sequence);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const hours = (n: number) => `2026-01-01T0${n}:00:00Z`;
const places = (events: Record<string, unknown>[]) => events.map(({ directory_id: id, sequence }) => [id, sequence]);

async function push(directory: TestDirectory, ...userNames: string[]) {
  for (const userName of userNames) expect((await directory.scim('POST', '/Users', { userName })).status).toBe(201);
}

/** Somebody waits, and the database is asked for him. */
const isWaitedFor = () =>
  until(async () => {
    const { rows } = await service.db.raw(
      `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and (query like '%"last_sequence" from "directories"%' or query like '%edge%news%')
         and query_start > clock_timestamp() - interval '1 second'`,
    );
    return rows.length > 0;
  });

it('answers nothing without an API key', async () => {
  const directory = await service.createDirectory();
  for (const authorization of ['', 'Api-Key wrong', `Bearer ${directory.secret}`]) {
    const answer = await request(`${service.baseUrl}/api/v1/events?directory_id=${directory.id}`, 'GET', undefined, { authorization });
    expect(refusal(answer)).toEqual([401, null, 'unauthorized', undefined]);
  }
});

describe('the feed of a directory', () => {
  it('tells its events as the webhooks do', async () => {
    const directory = await service.createDirectory({ tenant: 'shapes' });
    const { body: user } = await directory.scim('POST', '/Users', ada);
    await directory.scim('DELETE', `/Users/${user.id}`);
    const { status, body } = await get({ directory_id: directory.id });
    expect(status).toBe(200);
    expect(Object.keys(body.data[0])).toEqual(['event', 'tenant', 'product', 'directory_id', 'data', 'id', 'sequence', 'occurred_at']);
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
            raw: { ...ada, active: true, id: user.id },
          },
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          sequence: 1,
          occurred_at: expect.stringMatching(/^20..-..-..T..:..:..\....Z$/),
        },
        expect.objectContaining({ event: 'user.deleted', sequence: 2 }),
      ],
      error: null,
      list_metadata: { after: expect.stringMatching(/^[\w-]{40,400}$/), has_more: false },
    });
    expect((await read({ directoryId: directory.id.toUpperCase() })).events).toEqual(body.data);
    expect((await read({ directory_id: directory.id, tenant: 'shapes', product: 'app' })).events).toEqual(body.data);
  });

  it('is walked through by pages, both ways', async () => {
    const directory = await service.createDirectory({ tenant: 'many' });
    const Operations = numbers(1000).map((n) => ({ method: 'POST', path: '/Users', bulkId: String(n), data: { userName: `user${n}` } }));
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'];
    expect((await directory.scim('POST', '/Bulk', { schemas, Operations })).status).toBe(200);
    for (const owner of [{ directory_id: directory.id }, { tenant: 'many', product: 'app' }]) {
      const walk = async (query: Query) => {
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

  it('shows the types that are asked for', async () => {
    const directory = await service.createDirectory({ tenant: 'types' });
    const { body: user } = await directory.scim('POST', '/Users', { userName: 'ada' });
    await directory.scim('POST', '/Groups', { displayName: 'Team', members: [{ value: user.id }] });
    const typesOf = async (events: Query) => (await read({ directory_id: directory.id, ...events })).events.map(({ event }) => event);
    expect(await typesOf({})).toEqual(['user.created', 'group.created', 'group.user_added']);
    expect(await typesOf({ events: '' })).toHaveLength(3);
    expect(await typesOf({ events: 'group.user_added' })).toEqual(['group.user_added']);
    for (const events of ['user.created, group.created', ['user.created', 'group.created']])
      expect(await typesOf({ events })).toEqual(['user.created', 'group.created']);
    expect(await typesOf({ 'events[]': ['user.created', 'group.created'] })).toEqual(['user.created', 'group.created']);
    expect(await typesOf({ events: 'user.deleted' })).toEqual([]);
  });

  it('shows a range of time', async () => {
    const directory = await service.createDirectory({ tenant: 'times' });
    await push(directory, 'a', 'b', 'c');
    for (const n of numbers(3))
      await service
        .db('events')
        .where({ directory_id: directory.id, sequence: n })
        .update({ occurred_at: hours(n) });
    const query = { directory_id: directory.id };
    expect(sequences((await read({ ...query, range_start: hours(2) })).events)).toEqual([2, 3]);
    expect(sequences((await read({ ...query, range_end: hours(2) })).events)).toEqual([1]);
    expect(sequences((await read({ ...query, range_start: '2026-01-01T03:00:00+01:00', range_end: hours(3) })).events)).toEqual([2]);
    // The beginning goes with the cursor.
    const future = await read({ ...query, range_start: '2999-01-01T00:00:00Z' });
    await push(directory, 'd');
    expect((await read({ ...query, after: future.after })).events).toEqual([]);
    const last = await read({ ...query, range_start: hours(2), limit: 1, order: 'desc' });
    const rest = await read({ ...query, after: last.after, order: 'desc' });
    expect([...sequences(last.events), ...sequences(rest.events)]).toEqual([4, 3, 2]);
  });

  it('still tells that something was, when its content is gone', async () => {
    const directory = await service.createDirectory({ tenant: 'emptied' });
    await push(directory, 'ada');
    await service.db('events').where({ directory_id: directory.id }).update({ data: null });
    expect((await read({ directory_id: directory.id })).events).toMatchObject([{ event: 'user.created', data: null, sequence: 1 }]);
  });

  it('says when events were missed, and where to begin again', async () => {
    const directory = await service.createDirectory({ tenant: 'swept' });
    await push(directory, 'a');
    const query = { directory_id: directory.id };
    const { after } = await read(query);
    await push(directory, 'b', 'c');
    await service.db('events').where(query).where('sequence', '<', 3).delete();
    await service.db('directories').where({ id: directory.id }).update({ swept_sequence: 2 });
    const answer = await get({ ...query, after });
    expect(refusal(answer)).toEqual([410, null, 'cursor_expired', 'after']);
    const [, rangeStart] = /range_start=(\S+),/.exec(answer.body.error.message as string)!;
    expect(sequences((await read({ ...query, range_start: rangeStart! })).events)).toEqual([3]);
    expect(sequences((await read(query)).events)).toEqual([3]);
  });
});

describe('the feed across directories', () => {
  it('shows a tenant and product, or everything, and each directory in its order', async () => {
    const owner = { tenant: 'several', product: 'app' };
    const start = await read({ order: 'desc', limit: 1 });
    const [one, two] = [await service.createDirectory(owner), await service.createDirectory(owner)];
    const stranger = await service.createDirectory({ tenant: 'stranger' });
    for (const directory of [one, stranger, two, stranger, one]) await push(directory, `user${Math.random()}`);
    const mine = [
      [one.id, 1],
      [two.id, 1],
      [one.id, 2],
    ];
    expect(places((await read(owner)).events)).toEqual(mine);
    expect(places((await read({ after: start.after })).events)).toEqual([mine[0], [stranger.id, 1], mine[1], [stranger.id, 2], mine[2]]);
    const now = await read({ ...owner, order: 'desc', limit: 1 });
    expect(places(now.events)).toEqual([mine[2]]);
    await push(stranger, 'later');
    await push(two, 'later');
    expect(places((await read({ ...owner, after: now.after })).events)).toEqual([[two.id, 2]]);
  });
});

describe('a request that makes no sense', () => {
  const time = '2026-01-01T00:00:00Z';
  it.each<[string, Query, string]>([
    ['a negative limit', { limit: -1 }, 'limit'],
    ['a limit that is no number', { limit: 'many' }, 'limit'],
    ['half a limit', { limit: 1.5 }, 'limit'],
    ['an order of its own', { order: 'random' }, 'order'],
    ['too long a wait', { wait: 26 }, 'wait'],
    ['a negative wait', { wait: -1 }, 'wait'],
    ['a wait that is no number', { wait: 'long' }, 'wait'],
    ['a wait for the past', { wait: 1, order: 'desc' }, 'wait'],
    ['a date that is none', { range_start: 'yesterday' }, 'range_start'],
    ['a day that is none', { range_end: '2026-02-30T00:00:00Z' }, 'range_end'],
    ['a time without a zone', { range_start: '2026-01-01T00:00:00' }, 'range_start'],
    ['a reversed range', { range_start: time, range_end: '2025-01-01T00:00:00Z' }, 'range_end'],
    ['an empty range', { range_start: time, range_end: time }, 'range_end'],
    ['a cursor and a beginning', { after: 'x', range_start: time }, 'range_start'],
    ['a parameter given twice', { after: ['a', 'b'] }, 'after'],
    ['a tenant without a product', { tenant: 'acme' }, 'product'],
    ['two directories', { directory_id: 'a', directoryId: 'b' }, 'directory_id'],
    ['a NUL character', { tenant: 'a\0', product: 'b' }, 'tenant'],
  ])('with %s is refused, and told why', async (_title, query, field) => {
    const answer = await get(query);
    expect(refusal(answer)).toEqual([400, null, 'invalid_request', field]);
    expect(answer.body.error.message).toContain(field);
  });

  it('with an unknown type is told the known ones', async () => {
    const answer = await get({ events: 'user.created,user.exploded' });
    expect(refusal(answer)).toEqual([400, null, 'invalid_request', 'events']);
    for (const type of ['user.created', 'group.user_removed']) expect(answer.body.error.message).toContain(type);
    expect(answer.body.error.message).not.toContain('exploded');
  });

  it('finds no directory that is not there, or is another tenant’s', async () => {
    const { id } = await service.createDirectory({ tenant: 'mine' });
    const nobody = '00000000-0000-7000-8000-000000000000';
    for (const query of [
      { directory_id: 'x' },
      { directory_id: nobody },
      { directory_id: id, tenant: 'theirs' },
      { directory_id: id, tenant: 'mine', product: 'other' },
      { directory_id: nobody, wait: 20 },
      { tenant: 'nobody', product: 'app' },
    ])
      expect(refusal(await get(query))).toEqual([404, null, 'not_found', undefined]);
  });

  it('with a cursor that is not of this feed is refused', async () => {
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
    for (const cursor of forged) expect(refusal(await get({ ...query, after: cursor }))).toEqual([400, null, 'invalid_request', 'after']);
    expect(refusal(await get({ after }))).toEqual([400, null, 'invalid_request', 'after']);
    expect((await get({ ...query, after })).status).toBe(200);
  });

  it('is refused with another method', async () => {
    expect((await service.api('POST', '/api/v1/events', {})).status).toBe(405);
  });
});

describe('a request that waits', () => {
  it.each(['of a directory', 'of a tenant', 'of all'])(
    'for events %s is answered within a tick or two after they are pushed',
    async (feed) => {
      const directory = await service.createDirectory({ tenant: `waiting ${feed}` });
      const query: Query =
        feed === 'of a directory'
          ? { directory_id: directory.id }
          : feed === 'of a tenant'
            ? { tenant: `waiting ${feed}`, product: 'app' }
            : { after: (await read({ order: 'desc', limit: 1 })).after };
      const waiting = read({ ...query, wait: 25 });
      await isWaitedFor();
      const stranger = await service.createDirectory({ tenant: 'somebody else' });
      if (feed !== 'of all') await push(stranger, `${feed}@example.com`);
      await push(directory, 'ada');
      await untilReadable(service.db);
      const pushedAtMs = performance.now();
      const { events } = await waiting;
      expect(performance.now() - pushedAtMs).toBeLessThan(1_500);
      expect(events).toMatchObject([{ directory_id: directory.id, sequence: 1 }]);
    },
  );

  it('is answered at once if there is something, and empty if nothing comes', async () => {
    const directory = await service.createDirectory({ tenant: 'quiet' });
    await push(directory, 'ada');
    const first = await read({ directory_id: directory.id, wait: 25 });
    expect(first.events).toHaveLength(1);
    const startedAtMs = performance.now();
    const none = await read({ directory_id: directory.id, after: first.after, wait: 0.5 });
    expect(performance.now() - startedAtMs).toBeGreaterThan(450);
    expect(none).toEqual({ events: [], after: expect.any(String), hasMore: false });
    // What has passed does not come any more.
    expect((await read({ directory_id: directory.id, range_end: '2020-01-01T00:00:00Z', wait: 25 })).events).toEqual([]);
  });

  it('goes on waiting over events that it did not ask for', async () => {
    const directory = await service.createDirectory({ tenant: 'choosy' });
    const waiting = read({ directory_id: directory.id, events: 'group.created', wait: 25 });
    await isWaitedFor();
    await push(directory, 'ada', 'ben');
    await directory.scim('POST', '/Groups', { displayName: 'Team' });
    expect((await waiting).events).toMatchObject([{ event: 'group.created', sequence: 3 }]);
  });

  it('learns that its directory was deleted', async () => {
    const directory = await service.createDirectory({ tenant: 'deleted' });
    const waiting = get({ directory_id: directory.id, wait: 25 });
    await isWaitedFor();
    await service.api('DELETE', `/api/v1/directory-sync/${directory.id}`);
    expect((await waiting).status).toBe(404);
  });

  it('is answered when the service stops', async () => {
    const directory = await service.createDirectory({ tenant: 'stopping' });
    const another = await service.startAnother();
    const url = `${another.baseUrl}/api/v1/events?directory_id=${directory.id}&wait=25`;
    const waiting = request(url, 'GET', undefined, { authorization: 'Api-Key test-api-key' });
    await isWaitedFor();
    const [answer] = await Promise.all([waiting, another.stop()]);
    expect([answer.status, answer.body.data]).toEqual([200, []]);
  });

  it('ends when its client goes away', async () => {
    const signals: AbortSignal[] = [];
    const eventFeed: EventFeed = {
      read: (_query, signal) =>
        new Promise((resolve) => {
          signals.push(signal);
          signal.addEventListener('abort', () => resolve({ events: [], after: '', hasMore: false }));
        }),
    };
    const app = new Koa();
    app.use(eventFeedRoutes({ eventFeed }).routes() as never);
    const server = createServer(app.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const leaving = new AbortController();
    const waiting = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/events?wait=25`, { signal: leaving.signal });
    await until(() => signals.length === 1);
    expect(signals[0]!.aborted).toBe(false);
    leaving.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await until(() => signals[0]!.aborted);
    const closed = once(server, 'close');
    server.close();
    await closed;
  });
});
