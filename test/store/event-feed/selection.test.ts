import { describe, expect, it } from '@jest/globals';
import type { DirectoryPlace, FeedRequest, TransactionPlace } from '../../../src/directory/feed/ports.ts';
import { newId } from '../../../src/ids.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { createEventFeedStore } from '../../../src/store/event-feed/event-feed-store.ts';
import { everything, numbers, pageOf, sequences, setUpFeedStore, walk, write, type Ask } from '../../support/feed-store.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';
import { untilReadable } from '../../support/until-readable.ts';

const feed = setUpFeedStore();
const { createDirectory, feeds } = feed;

const hour = (n: number) => new Date(Date.UTC(2026, 0, 1, n));
const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n));

describe.each(Object.entries(feeds))('the feed %s', (name, read) => {
  const isAcross = name === 'across directories';

  it('finds a time range in both orders, and by pages', async () => {
    const directoryId = await createDirectory();
    for (const n of numbers(1, 40)) await write(feed.db, directoryId, { at: hour(n), type: n % 2 ? 'user.created' : 'user.updated' });
    const range = (from: Date | undefined, to: Date | undefined, ask: Ask = {}) => read(directoryId, { from, until: to, ...ask });
    const inRange = async (...args: Parameters<typeof range>) => sequences(pageOf(await range(...args)));

    expect(await inRange(hour(10), undefined)).toEqual(numbers(10, 40));
    expect(await inRange(undefined, hour(10))).toEqual(numbers(1, 9));
    expect(await inRange(hour(10), hour(13))).toEqual([10, 11, 12]);
    expect(await inRange(hour(10), hour(13), { order: 'desc' })).toEqual([12, 11, 10]);
    expect(await inRange(hour(10), hour(20), { types: ['user.updated'] })).toEqual([10, 12, 14, 16, 18]);
    expect(await inRange(new Date(hour(10).getTime() + 1), hour(11))).toEqual([]);
    expect(await inRange(hour(0), hour(1))).toEqual([]);
    expect(await inRange(hour(90), hour(91))).toEqual([]);
    for (const order of ['asc', 'desc'] as const) {
      const { pages, events } = await walk((after) => range(hour(5), hour(30), { order, limit: 7, ...(after && { after }) }));
      expect(pages.length).toBe(4);
      expect(events.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(numbers(5, 29));
    }
  });

  it('finds a time although sequences are missing', async () => {
    const directoryId = await createDirectory();
    for (const n of numbers(1, 30)) await write(feed.db, directoryId, { at: minute(n * 5) });
    await feed.db('events').where({ directory_id: directoryId }).whereBetween('sequence', [3, 14]).delete();
    await feed.db('events').where({ directory_id: directoryId }).whereBetween('sequence', [20, 28]).delete();
    for (const n of numbers(1, 31)) {
      const expected = [1, 2, ...numbers(15, 19), 29, 30].filter((sequence) => sequence >= n);
      expect(sequences(pageOf(await read(directoryId, { from: minute(n * 5) })))).toEqual(expected);
    }
  });

  it('reads few rows more than it returns', async () => {
    const directoryId = await createDirectory();
    for (const n of numbers(1, 20)) await write(feed.db, directoryId, { count: 1000, at: hour(n) });
    await feed.db.raw('analyze stored_events');
    const single = openDatabase(feed.url, { poolSize: 1 });
    const readRows = async () => {
      await single.raw('select pg_stat_force_next_flush()');
      const { rows } = await single.raw<{ rows: { n: number }[] }>(
        `select coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) as n from pg_stat_user_tables where relname = 'stored_events'`,
      );
      return rows[0]!.n;
    };
    const { place } = pageOf(await read(directoryId, { from: hour(10) }));
    const onSingle = createEventFeedStore(unlimitedReads(single));
    for (const ask of [
      {},
      { after: place },
      { order: 'desc' },
      { order: 'desc', after: place },
      { types: ['user.created'] },
      { from: hour(15) },
      { until: hour(5), after: place },
    ] as Ask[]) {
      const before = await readRows();
      const request = { ...everything, limit: 10, ...ask };
      await (isAcross
        ? onSingle.readAcross(undefined, request as FeedRequest<TransactionPlace>)
        : onSingle.readDirectory({ directoryId }, request as FeedRequest<DirectoryPlace>));
      expect((await readRows()) - before).toBeLessThan(200);
    }
    await single.destroy();
  });
});

describe('whose events', () => {
  it('returns a directory only to its tenant and product', async () => {
    const owner = { tenant: 'mine', product: 'p' };
    const [mine, other] = [await createDirectory(owner), await createDirectory({ tenant: 'theirs', product: 'p' })];
    await write(feed.db, other, { count: 2 });
    await write(feed.db, mine, { count: 2 });
    await write(feed.db, other, { count: 2 });
    await untilReadable(feed.db);
    const { events } = pageOf(await feed.store.readAcross(owner, { order: 'asc', limit: 50 }));
    expect(events.map(({ directory, sequence }) => [directory.tenant, sequence])).toEqual([
      ['mine', 1],
      ['mine', 2],
    ]);
    expect(await feed.store.readAcross({ tenant: 'mine', product: 'q' }, { order: 'asc', limit: 50 })).toBeUndefined();
    expect(await feed.store.readDirectory({ directoryId: mine, tenant: 'theirs' }, { order: 'asc', limit: 50 })).toBeUndefined();
    expect(await feed.store.readDirectory({ directoryId: newId() }, { order: 'asc', limit: 50 })).toBeUndefined();
    expect(await feed.store.readDirectory({ directoryId: mine, ...owner }, { order: 'asc', limit: 50 })).toMatchObject({ hasMore: false });
  });

  it('continues forward after the newest event of a page that was read backwards, whatever events of others were before', async () => {
    const owner = { tenant: 'mine', product: 'p' };
    const [other, mine] = [await createDirectory({ tenant: 'theirs', product: 'p' }), await createDirectory(owner)];
    const page = async (ask: Ask) => {
      await untilReadable(feed.db);
      return pageOf(await feed.store.readAcross(owner, { ...everything, ...ask } as FeedRequest<TransactionPlace>));
    };
    await write(feed.db, other, { count: 3 });
    const none = await page({ order: 'desc', limit: 1 });
    await write(feed.db, mine);
    await write(feed.db, other);
    const one = await page({ order: 'desc', limit: 1 });
    expect([none, one].map(sequences)).toEqual([[], [1]]);
    expect(sequences(await page({ after: none.place }))).toEqual([1]);
    expect(sequences(await page({ after: one.place }))).toEqual([]);
    expect(await page({ order: 'desc', after: one.place })).toMatchObject({ events: [], hasMore: false });
  });

  it('returns the owners of new events, and how far it has looked', async () => {
    const mine = await createDirectory({ tenant: 'mine', product: 'p' });
    await untilReadable(feed.db);
    const { place } = pageOf(await feed.store.readAcross(undefined, { order: 'asc', limit: 50 }));
    const sinceTxid = Number((place as TransactionPlace).txid);
    const nothing = await feed.store.poll({ directoryIds: [mine, newId()], sinceTxid });
    expect(nothing).toEqual({ lastSequences: new Map([[mine, 0]]), owners: [], settledTxid: expect.any(Number) });
    const open = await feed.db.transaction();
    await write(open, mine);
    expect((await feed.store.poll({ directoryIds: [mine], sinceTxid })).owners).toEqual([]);
    await open.commit();
    await untilReadable(feed.db);
    const news = await feed.store.poll({ directoryIds: [mine], sinceTxid });
    expect(news).toMatchObject({ lastSequences: new Map([[mine, 1]]), owners: [{ tenant: 'mine', product: 'p' }] });
    expect(await feed.store.poll({ directoryIds: [], sinceTxid: news.settledTxid })).toMatchObject({ owners: [] });
    await write(feed.db, mine, { count: 10_000 });
    await untilReadable(feed.db);
    expect((await feed.store.poll({ directoryIds: [], sinceTxid: news.settledTxid })).owners).toBe('all');
  });
});
