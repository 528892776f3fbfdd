import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { createRootCaller } from '../../src/access/caller.ts';
import type { EventFeed } from '../../src/directory/feed/event-feed.ts';
import { listEvents } from '../../src/http/api/events/operations.ts';
import type { HttpDeps } from '../../src/http/deps.ts';
import { callAs } from '../../src/http/server/authenticate-api-key.ts';
import { routing } from '../../src/http/server/routing.ts';
import { openDatabase } from '../../src/store/database.ts';
import { getFeed, readFeed, type FeedQuery } from '../support/feed-requests.ts';
import { pushUsers } from '../support/push-users.ts';
import { untilReadable } from '../support/until-readable.ts';
import { apiKey, request, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { deliver: false });
});
afterAll(() => service.stop());

const get = (query: FeedQuery) => getFeed(service, query);
const read = (query: FeedQuery) => readFeed(service, query);

/** Waits until a request waits and the feed polls for it from now on. Earlier polls may be those of an earlier request. */
async function isPolled(): Promise<void> {
  const { rows } = await service.db.raw<{ rows: { now: string }[] }>('select clock_timestamp()::text as now');
  await until(async () => {
    const polls = await service.db.raw<{ rows: object[] }>(
      `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and (query like '%last_sequence from directories%' or query like '%edge%recent%')
         and query_start > cast(? as timestamptz)`,
      [rows[0]!.now],
    );
    return polls.rows.length > 0;
  });
}

describe('a request that waits', () => {
  it.each(['of a directory', 'of a tenant', 'of all'])(
    'for events %s gets a response within two ticks after they are pushed',
    async (feed) => {
      const directory = await service.createDirectory({ tenant: `waiting ${feed}` });
      const query: FeedQuery =
        feed === 'of a directory'
          ? { directory_id: directory.id }
          : feed === 'of a tenant'
            ? { tenant: `waiting ${feed}`, product: 'app' }
            : { after: (await read({ order: 'desc', limit: 1 })).after };
      const waiting = read({ ...query, wait: 25 });
      await isPolled();
      const stranger = await service.createDirectory({ tenant: 'somebody else' });
      if (feed !== 'of all') await pushUsers(stranger, `${feed}@example.com`);
      await pushUsers(directory, 'ada');
      await untilReadable(service.db);
      const pushedAtMs = performance.now();
      const { events } = await waiting;
      // By itself it would end after 25 seconds.
      expect(performance.now() - pushedAtMs).toBeLessThan(15_000);
      expect(events).toMatchObject([{ directory_id: directory.id, sequence: 1 }]);
    },
  );

  it('responds immediately if there are events, and with an empty page after the wait', async () => {
    const directory = await service.createDirectory({ tenant: 'quiet' });
    await pushUsers(directory, 'ada');
    const first = await read({ directory_id: directory.id, wait: 25 });
    expect(first.events).toHaveLength(1);
    const startedAtMs = performance.now();
    const none = await read({ directory_id: directory.id, after: first.after, wait: 0.5 });
    expect(performance.now() - startedAtMs).toBeGreaterThan(450);
    expect(none).toEqual({ events: [], after: expect.any(String), hasMore: false });
    // Events in the past do not arrive.
    expect((await read({ directory_id: directory.id, range_end: '2020-01-01T00:00:00Z', wait: 25 })).events).toEqual([]);
  });

  it('is still polled for after the reader who waited first has left', async () => {
    const directory = await service.createDirectory({ tenant: 'second' });
    const leaving = new AbortController();
    const first = fetch(`${service.baseUrl}/api/v1/events?directory_id=${directory.id}&wait=25`, {
      headers: { authorization: `Api-Key ${apiKey}` },
      signal: leaving.signal,
    }).catch(() => 'left');
    await isPolled();
    const second = read({ directory_id: directory.id, wait: 25 });
    await isPolled();
    leaving.abort();
    expect(await first).toBe('left');
    await pushUsers(directory, 'ada');
    expect((await second).events).toHaveLength(1);
  });

  it('keeps waiting when other types of events arrive', async () => {
    const directory = await service.createDirectory({ tenant: 'choosy' });
    const waiting = read({ directory_id: directory.id, events: 'group.created', wait: 25 });
    await isPolled();
    await pushUsers(directory, 'ada', 'ben');
    await directory.scim('POST', '/Groups', { displayName: 'Team' });
    expect((await waiting).events).toMatchObject([{ event: 'group.created', sequence: 3 }]);
  });

  it('gets the events of every directory, also of a new one, that a transaction in another database delays', async () => {
    const owner = { tenant: 'delayed', product: 'app' };
    const first = await service.createDirectory(owner);
    const { after } = await read({ ...owner, order: 'desc', limit: 1 });
    const waiting = read({ ...owner, after, wait: 25 });
    await isPolled();
    const elsewhere = openDatabase(process.env['TEST_POSTGRES_URL']!);
    const older = await elsewhere.transaction();
    try {
      await older.raw('select pg_current_xact_id()');
      const second = await service.createDirectory(owner);
      await pushUsers(second, 'ben');
      await pushUsers(first, 'ada');
      expect((await getFeed(service, { ...owner, after })).body.data).toEqual([]);
      await isPolled();
      await older.commit();
      const page = await waiting;
      expect(page.events.length).toBeGreaterThan(0);
      const rest = await read({ ...owner, after: page.after });
      expect([...page.events, ...rest.events]).toMatchObject([
        { directory_id: second.id, sequence: 1 },
        { directory_id: first.id, sequence: 1 },
      ]);
    } finally {
      if (!older.isCompleted()) await older.rollback();
      await elsewhere.destroy();
    }
  });

  it('fails with 404 when its directory is deleted', async () => {
    const directory = await service.createDirectory({ tenant: 'deleted' });
    const waiting = get({ directory_id: directory.id, wait: 25 });
    await isPolled();
    await service.api('DELETE', `/api/v1/directory-sync/${directory.id}`);
    expect((await waiting).status).toBe(404);
  });

  it('gets a response when the service stops', async () => {
    const directory = await service.createDirectory({ tenant: 'stopping' });
    const another = await service.startAnother();
    const url = `${another.baseUrl}/api/v1/events?directory_id=${directory.id}&wait=25`;
    const waiting = request(url, 'GET', undefined, { authorization: `Api-Key ${apiKey}` });
    await isPolled();
    const [response] = await Promise.all([waiting, another.stop()]);
    expect([response.status, response.body.data]).toEqual([200, []]);
  });

  it('ends when its client leaves', async () => {
    const signals: AbortSignal[] = [];
    const eventFeed: EventFeed = {
      read: (_query, signal) =>
        new Promise((resolve) => {
          signals.push(signal);
          signal.addEventListener('abort', () => resolve({ events: [], after: '', hasMore: false }));
        }),
    };
    const app = new Koa();
    app.use(callAs(createRootCaller(apiKey, 1)));
    app.use(routing([listEvents], { eventFeed } as HttpDeps));
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
