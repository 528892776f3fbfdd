import { describe, expect, it } from '@jest/globals';
import type { Place, TransactionPlace } from '../../../src/directory/feed/ports.ts';
import { numbers, pageOf, sequences, setUpFeedStore, write } from '../../support/feed-store.ts';
import { untilReadable } from '../../support/until-readable.ts';
import { settleTransactions } from '../../../src/store/event-feed/event-feed-store.ts';

const feed = setUpFeedStore();
const { createDirectory, feeds } = feed;

const day = (n: number) => new Date(Date.UTC(2026, 0, n));

describe.each(Object.entries(feeds))('the feed %s', (name, read) => {
  const isAcross = name === 'across directories';

  it('rejects a place before dropped events, and returns the time of the oldest event', async () => {
    const directoryId = await createDirectory();
    const places: Place[] = [pageOf(await read(directoryId)).place];
    for (const n of numbers(1, 6)) {
      await write(feed.db, directoryId, { at: day(n) });
      places.push(pageOf(await read(directoryId, { after: places.at(-1)! })).place);
    }
    const { txid } = await feed.db('events').where({ directory_id: directoryId, sequence: 3 }).first('txid');
    await feed.db('events').where({ directory_id: directoryId }).where('sequence', '<=', 3).delete();
    await (isAcross
      ? feed.db('feed_horizon').update({ swept_txid: txid })
      : feed.db('directories').where({ id: directoryId }).update({ swept_sequence: 3 }));

    for (const after of places.slice(0, 3)) expect(await read(directoryId, { after })).toEqual({ lost: 'swept', oldestAt: day(4) });
    // A reader that has read the third event has lost nothing.
    expect(sequences(pageOf(await read(directoryId, { after: places[3]! })))).toEqual([4, 5, 6]);
    expect(sequences(pageOf(await read(directoryId)))).toEqual([4, 5, 6]);
    expect(sequences(pageOf(await read(directoryId, { order: 'desc' })))).toEqual([6, 5, 4]);
    expect(sequences(pageOf(await read(directoryId, { from: day(1) })))).toEqual([4, 5, 6]);
    expect(await read(directoryId, { from: day(1), until: day(3) })).toEqual({ lost: 'swept', oldestAt: day(4) });
  });

  it('keeps a reader at the end valid, whatever is dropped', async () => {
    const directoryId = await createDirectory();
    await write(feed.db, directoryId, { count: 4 });
    const { place } = pageOf(await read(directoryId));
    const { txid } = await feed.db('events').where({ directory_id: directoryId, sequence: 4 }).first('txid');
    await feed.db('events').where({ directory_id: directoryId }).delete();
    await feed.db('directories').where({ id: directoryId }).update({ swept_sequence: 4 });
    await feed.db('feed_horizon').update({ swept_txid: txid });
    expect(pageOf(await read(directoryId, { after: place }))).toMatchObject({ events: [], hasMore: false });
    await write(feed.db, directoryId);
    expect(sequences(pageOf(await read(directoryId, { after: place })))).toEqual([5]);
  });
});

describe('a database that was restored', () => {
  it('rejects cursors that are ahead of it', async () => {
    const directoryId = await createDirectory();
    await write(feed.db, directoryId, { count: 3 });
    await untilReadable(feed.db);
    const { place } = pageOf(await feed.store.readAcross(undefined, { order: 'asc', limit: 50 }));
    const { txid } = place as TransactionPlace;
    const ahead = { ...(place as TransactionPlace), txid: String(Number(txid) + 1_000_000) };
    for (const order of ['asc', 'desc'] as const) {
      expect(await feed.store.readAcross(undefined, { order, limit: 50, after: ahead })).toMatchObject({ lost: 'moved' });
      expect(await feed.store.readDirectory({ directoryId }, { order, limit: 50, after: { sequence: 4 } })).toMatchObject({
        lost: 'moved',
      });
    }
  });

  it('rejects cursors of the dumped database, and accepts its own after maintenance', async () => {
    const directoryId = await createDirectory();
    await write(feed.db, directoryId);
    await untilReadable(feed.db);
    const { place } = pageOf(await feed.store.readAcross(undefined, { order: 'asc', limit: 50 }));
    const after = place as TransactionPlace;
    await feed.db.raw('vacuum (full, freeze) knex_migrations');
    expect(pageOf(await feed.store.readAcross(undefined, { order: 'asc', limit: 50, after })).events).toEqual([]);
    // Restoring a dump writes all rows again.
    await feed.db.transaction(async (trx) => {
      const rows = await trx('knex_migrations').orderBy('id');
      await trx('knex_migrations').delete();
      await trx('knex_migrations').insert(rows);
    });
    expect(await feed.store.readAcross(undefined, { order: 'asc', limit: 50, after })).toMatchObject({ lost: 'moved' });
  });

  it('orders restored events before new ones, and keeps their order within a directory', async () => {
    const [one, other] = [await createDirectory(), await createDirectory()];
    for (const directoryId of [one, other, one]) await write(feed.db, directoryId, { count: 2 });
    await feed.db('events').update({ txid: feed.db.raw(`(txid::text::bigint + 1000000000)::text::xid8`) });
    await feed.db('feed_horizon').update({ swept_txid: '2000000000' });
    expect(pageOf(await feed.store.readAcross(undefined, { order: 'asc', limit: 50 })).events).toEqual([]);
    await Promise.all([settleTransactions(feed.db), settleTransactions(feed.db)]);
    await write(feed.db, other);
    await settleTransactions(feed.db);
    await untilReadable(feed.db);
    const { events } = pageOf(await feed.store.readAcross(undefined, { order: 'asc', limit: 50 }));
    const of = (directoryId: string) => events.filter(({ directory }) => directory.id === directoryId).map(({ sequence }) => sequence);
    expect([of(one), of(other)]).toEqual([numbers(1, 4), numbers(1, 3)]);
    expect(events.at(-1)).toMatchObject({ directory: { id: other }, sequence: 3 });
  });
});
