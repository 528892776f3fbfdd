import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type {
  EventFeedStore,
  FeedLoss,
  FeedPage,
  FeedRequest,
  Place,
  DirectoryPlace,
  TransactionPlace,
} from '../../src/directory/event-feed/feed.ts';
import { newId } from '../../src/ids.ts';
import { createEventFeedStore } from '../../src/store/event-feed/event-feed-store.ts';
import { settleTransactions } from '../../src/store/event-feed/settle-transactions.ts';
import { openDatabase } from '../../src/store/database.ts';
import { cloneDatabase } from '../support/database.ts';
import { untilReadable } from '../support/readable.ts';
import { until } from '../support/until.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Knex;
let store: EventFeedStore;
beforeAll(async () => {
  database = await cloneDatabase();
  db = database.db;
  store = createEventFeedStore(db);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await db('directories').delete();
  await db('feed_horizon').update({ swept_txid: '0' });
});

async function createDirectory(owner: { tenant?: string; product?: string } = {}): Promise<string> {
  const id = newId();
  await db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2', ...owner });
  return id;
}

interface Written {
  directoryId: string;
  sequence: number;
}
interface Writing {
  count?: number;
  type?: string;
  at?: Date;
  bytes?: number;
}

/** As a change writes its events: the directory's row first, which gives the sequence. */
async function write(
  on: Knex,
  directoryId: string,
  { count = 1, type = 'user.created', at = new Date(), bytes = 1 }: Writing = {},
): Promise<Written[]> {
  const { rows } = await on.raw<{ rows: { sequence: number }[] }>(
    `with held as (
       update directories set last_sequence = last_sequence + cast(:count as int) where id = :directoryId returning id, last_sequence
     )
     insert into events (directory_id, sequence, id, type, data, occurred_at)
     select id, last_sequence - :count + n, gen_random_uuid(), :type, jsonb_build_object('n', n, 'x', repeat('x', cast(:bytes as int))), :at
     from held, generate_series(1, cast(:count as int)) n returning sequence`,
    { directoryId, count, type, at, bytes },
  );
  return rows.map(({ sequence }) => ({ directoryId, sequence }));
}

const everything: FeedRequest = { order: 'asc', limit: 50 };
type Ask = Partial<FeedRequest>;
const isPage = (answer: FeedPage | FeedLoss | undefined): answer is FeedPage => answer !== undefined && 'events' in answer;
function pageOf(answer: FeedPage | FeedLoss | undefined): FeedPage {
  if (!isPage(answer)) throw new Error(`no page: ${JSON.stringify(answer)}`);
  return answer;
}

/** Both feeds answer the same questions: of one directory, and of all. */
const feeds: Record<string, (directoryId: string, ask?: Ask) => Promise<FeedPage | FeedLoss | undefined>> = {
  'of one directory': (directoryId, ask) => store.readDirectory({ directoryId }, { ...everything, ...ask } as FeedRequest<DirectoryPlace>),
  'across directories': async (_directoryId, ask) => {
    await untilReadable(db);
    return store.readAcross(undefined, { ...everything, ...ask } as FeedRequest<TransactionPlace>);
  },
};
const sequences = ({ events }: FeedPage) => events.map(({ sequence }) => sequence);
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

const hour = (n: number) => new Date(Date.UTC(2026, 0, 1, n));

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n));

const day = (n: number) => new Date(Date.UTC(2026, 0, n));

/** Everything from a place on, page by page. */
async function walk(read: (after: Place | undefined) => Promise<FeedPage | FeedLoss | undefined>) {
  const pages: FeedPage[] = [];
  for (let place: Place | undefined; ; { place } = pages.at(-1)!) {
    pages.push(pageOf(await read(place)));
    if (!pages.at(-1)!.hasMore) break;
  }
  return { pages, place: pages.at(-1)!.place, events: pages.flatMap(({ events }) => events) };
}

/** Round trips of its own length keep each transaction open, so that they end in another order than they began. */
async function writeALot(pool: Knex, directoryIds: string[], changes: number): Promise<Written[]> {
  const committed: Written[] = [];
  const writer = async () => {
    for (let change = 0; change < changes; change += 1) {
      const trx = await pool.transaction();
      const directoryId = directoryIds[randomInt(directoryIds.length)]!;
      // Its number is taken now, whatever it waits for afterwards.
      await trx.raw('select pg_current_xact_id()');
      for (let trip = randomInt(6); trip > 0; trip -= 1) await trx.raw('select 1');
      const written = await write(trx, directoryId, { count: 1 + randomInt(3) });
      for (let trip = randomInt(6); trip > 0; trip -= 1) await trx.raw('select 1');
      if (randomInt(20) === 0) {
        await trx.rollback();
      } else {
        await trx.commit();
        committed.push(...written);
      }
    }
  };
  await Promise.all(Array.from({ length: 20 }, writer));
  return committed;
}

const key = ({ directoryId, sequence }: Written) => `${directoryId} ${sequence}`;

describe('with 20 writers whose transactions stay open for a while, and some of which are rolled back', () => {
  it('neither feed skips an event, or tells one twice, to a reader that follows', async () => {
    const pool = openDatabase(database.url, { poolSize: 20 });
    const directoryIds = await Promise.all(Array.from({ length: 25 }, () => createDirectory()));
    let isWriting = true;
    const follow = async (read: (after: Place | undefined) => Promise<FeedPage | FeedLoss | undefined>) => {
      const seen: Written[] = [];
      let place: Place | undefined;
      for (let isLast = false; ;) {
        const page = pageOf(await read(place));
        seen.push(...page.events.map(({ directory, sequence }) => ({ directoryId: directory.id, sequence })));
        ({ place } = page);
        if (isLast && !page.hasMore) return seen;
        isLast = !isWriting;
      }
    };
    const busiest = directoryIds[0]!;
    const following = [
      follow((after) => store.readAcross(undefined, { order: 'asc', limit: 7, after: after as TransactionPlace | undefined })),
      follow((after) =>
        store.readAcross({ tenant: 't', product: 'p' }, { order: 'asc', limit: 50, after: after as TransactionPlace | undefined }),
      ),
      follow((after) =>
        store.readDirectory({ directoryId: busiest }, { order: 'asc', limit: 3, after: after as DirectoryPlace | undefined }),
      ),
    ];
    const writing = writeALot(pool, [...directoryIds, ...directoryIds.map(() => busiest)], 25);
    const committed = await writing.finally(async () => {
      await untilReadable(db);
      isWriting = false;
    });
    const [all, ofOwner, ofOne] = await Promise.all(following);
    await pool.destroy();

    expect(committed.length).toBeGreaterThan(500);
    const expected = committed.map(key).sort();
    expect(all!.map(key).sort()).toEqual(expected);
    expect(ofOwner!.map(key).sort()).toEqual(expected);
    const ofBusiest = committed.filter(({ directoryId }) => directoryId === busiest).length;
    expect(ofOne!.map(({ sequence }) => sequence)).toEqual(numbers(1, ofBusiest));
  });
});

const across = (after?: TransactionPlace) => store.readAcross(undefined, { ...everything, after });
it('across directories, nothing is told while a transaction is open that may come to stand before it', async () => {
  const [slow, quick] = [await createDirectory(), await createDirectory()];
  const open = await db.transaction();
  await write(open, slow);
  await write(db, quick);
  const before = pageOf(await across());
  expect(before.events).toEqual([]);
  expect(sequences(pageOf(await feeds['of one directory']!(quick)))).toEqual([1]);
  await open.commit();
  await untilReadable(db);
  const after = pageOf(await across(before.place as TransactionPlace));
  expect(after.events.map(({ directory }) => directory.id)).toEqual([slow, quick]);
});

describe.each(Object.entries(feeds))('the feed %s', (name, read) => {
  const isAcross = name === 'across directories';

  it('begins at the oldest event, and goes on where a page ended', async () => {
    const directoryId = await createDirectory();
    await write(db, directoryId, { count: 5 });
    await write(db, directoryId, { count: 6 });
    const { pages, events, place } = await walk((after) => read(directoryId, { limit: 4, ...(after && { after }) }));
    expect(pages.map(sequences)).toEqual([numbers(1, 4), numbers(5, 8), numbers(9, 11)]);
    expect(pageOf(await read(directoryId, { after: place })).events).toEqual([]);
    expect(events[0]).toMatchObject({
      type: 'user.created',
      data: { n: 1, x: 'x' },
      directory: { id: directoryId, tenant: 't', product: 'p' },
    });
  });

  it('stays where it is at the end, and then tells what came', async () => {
    const directoryId = await createDirectory();
    const { place: start } = pageOf(await read(directoryId));
    await write(db, directoryId);
    const first = pageOf(await read(directoryId, { after: start }));
    expect(sequences(first)).toEqual([1]);
    const none = pageOf(await read(directoryId, { after: first.place }));
    expect(none).toMatchObject({ events: [], hasMore: false });
    await write(db, directoryId, { count: 2 });
    expect(sequences(pageOf(await read(directoryId, { after: none.place })))).toEqual([2, 3]);
  });

  it('goes backwards from the newest, and forwards again from any place', async () => {
    const directoryId = await createDirectory();
    for (let change = 0; change < 4; change += 1) await write(db, directoryId, { count: 3 });
    const down = await walk((after) => read(directoryId, { order: 'desc', limit: 5, ...(after && { after }) }));
    expect(down.pages.map(sequences)).toEqual([numbers(8, 12).toReversed(), numbers(3, 7).toReversed(), [2, 1]]);
    expect(pageOf(await read(directoryId, { order: 'desc', after: down.place }))).toMatchObject({ events: [], hasMore: false });
    expect(sequences(pageOf(await read(directoryId, { after: down.pages[1]!.place })))).toEqual(numbers(4, 12));
    const { place: now } = pageOf(await read(directoryId, { order: 'desc', limit: 1 }));
    await write(db, directoryId);
    expect(sequences(pageOf(await read(directoryId, { after: now })))).toEqual([13]);
  });

  it('goes backwards over nothing without losing what comes', async () => {
    const directoryId = await createDirectory();
    const { place, events } = pageOf(await read(directoryId, { order: 'desc' }));
    expect(events).toEqual([]);
    await write(db, directoryId);
    expect(sequences(pageOf(await read(directoryId, { after: place })))).toEqual([1]);
  });

  it('moves past events of other types, however many there are', async () => {
    const directoryId = await createDirectory();
    await write(db, directoryId, { count: 10_500 });
    await write(db, directoryId, { type: 'user.deleted' });
    await write(db, directoryId, { count: 3 });
    const ask: Ask = { types: ['user.deleted', 'group.deleted'] };
    const first = pageOf(await read(directoryId, ask));
    expect(first).toMatchObject({ events: [], hasMore: true });
    const second = pageOf(await read(directoryId, { ...ask, after: first.place }));
    expect([sequences(second), second.hasMore]).toEqual([[10_501], false]);
    // The place is behind those that were passed over.
    expect(pageOf(await read(directoryId, { after: second.place })).events).toEqual([]);
    const down = await walk((after) => read(directoryId, { ...ask, order: 'desc', ...(after && { after }) }));
    expect(down.events.map(({ sequence }) => sequence)).toEqual([10_501]);
  });

  it('ends a page early rather than fill the memory', async () => {
    const directoryId = await createDirectory();
    await write(db, directoryId, { count: 5, bytes: 4_000_000 });
    await write(db, directoryId);
    for (const order of ['asc', 'desc'] as const) {
      const { pages, events } = await walk((after) => read(directoryId, { order, limit: 100, ...(after && { after }) }));
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.map(({ events: { length } }) => length).every((length) => length > 0 && length <= 4)).toBe(true);
      expect(events.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(numbers(1, 6));
    }
  });

  it('tells events whose content is gone', async () => {
    const directoryId = await createDirectory();
    await write(db, directoryId, { count: 2 });
    await db('events').where({ directory_id: directoryId, sequence: 1 }).update({ data: null });
    expect(pageOf(await read(directoryId)).events.map(({ data }) => data)).toEqual([null, { n: 2, x: 'x' }]);
  });

  it('finds a range by time, both ways, and by pages', async () => {
    const directoryId = await createDirectory();
    for (const n of numbers(1, 40)) await write(db, directoryId, { at: hour(n), type: n % 2 ? 'user.created' : 'user.updated' });
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

  it('finds a time although sequences are missing in between', async () => {
    const directoryId = await createDirectory();
    for (const n of numbers(1, 30)) await write(db, directoryId, { at: minute(n * 5) });
    await db('events').where({ directory_id: directoryId }).whereBetween('sequence', [3, 14]).delete();
    await db('events').where({ directory_id: directoryId }).whereBetween('sequence', [20, 28]).delete();
    for (const n of numbers(1, 31)) {
      const expected = [1, 2, ...numbers(15, 19), 29, 30].filter((sequence) => sequence >= n);
      expect(sequences(pageOf(await read(directoryId, { from: minute(n * 5) })))).toEqual(expected);
    }
  });

  it('refuses a place before what was swept, and says what is the oldest', async () => {
    const directoryId = await createDirectory();
    const places: Place[] = [pageOf(await read(directoryId)).place];
    for (const n of numbers(1, 6)) {
      await write(db, directoryId, { at: day(n) });
      places.push(pageOf(await read(directoryId, { after: places.at(-1)! })).place);
    }
    const { txid } = await db('events').where({ directory_id: directoryId, sequence: 3 }).first('txid');
    await db('events').where({ directory_id: directoryId }).where('sequence', '<=', 3).delete();
    await (isAcross
      ? db('feed_horizon').update({ swept_txid: txid })
      : db('directories').where({ id: directoryId }).update({ swept_sequence: 3 }));

    for (const after of places.slice(0, 3)) expect(await read(directoryId, { after })).toEqual({ lost: 'swept', oldestAt: day(4) });
    // Who has seen the third has lost nothing.
    expect(sequences(pageOf(await read(directoryId, { after: places[3]! })))).toEqual([4, 5, 6]);
    expect(sequences(pageOf(await read(directoryId)))).toEqual([4, 5, 6]);
    expect(sequences(pageOf(await read(directoryId, { order: 'desc' })))).toEqual([6, 5, 4]);
    expect(sequences(pageOf(await read(directoryId, { from: day(1) })))).toEqual([4, 5, 6]);
    expect(await read(directoryId, { from: day(1), until: day(3) })).toEqual({ lost: 'swept', oldestAt: day(4) });
  });

  it('lets a reader who is at the end stay there, whatever is swept', async () => {
    const directoryId = await createDirectory();
    await write(db, directoryId, { count: 4 });
    const { place } = pageOf(await read(directoryId));
    const { txid } = await db('events').where({ directory_id: directoryId, sequence: 4 }).first('txid');
    await db('events').where({ directory_id: directoryId }).delete();
    await db('directories').where({ id: directoryId }).update({ swept_sequence: 4 });
    await db('feed_horizon').update({ swept_txid: txid });
    expect(pageOf(await read(directoryId, { after: place }))).toMatchObject({ events: [], hasMore: false });
    await write(db, directoryId);
    expect(sequences(pageOf(await read(directoryId, { after: place })))).toEqual([5]);
  });

  it('reads little more than it shows', async () => {
    const directoryId = await createDirectory();
    for (const n of numbers(1, 20)) await write(db, directoryId, { count: 1000, at: hour(n) });
    await db.raw('analyze events');
    const single = openDatabase(database.url, { poolSize: 1 });
    const readRows = async () => {
      await single.raw('select pg_stat_force_next_flush()');
      const { rows } = await single.raw<{ rows: { n: number }[] }>(
        `select coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) as n from pg_stat_user_tables where relname = 'events'`,
      );
      return rows[0]!.n;
    };
    const { place } = pageOf(await read(directoryId, { from: hour(10) }));
    const onSingle = createEventFeedStore(single);
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
  it('shows a directory to its tenant and product only, and nothing of others', async () => {
    const owner = { tenant: 'mine', product: 'p' };
    const [mine, other] = [await createDirectory(owner), await createDirectory({ tenant: 'theirs', product: 'p' })];
    await write(db, other, { count: 2 });
    await write(db, mine, { count: 2 });
    await write(db, other, { count: 2 });
    await untilReadable(db);
    const { events } = pageOf(await store.readAcross(owner, { order: 'asc', limit: 50 }));
    expect(events.map(({ directory, sequence }) => [directory.tenant, sequence])).toEqual([
      ['mine', 1],
      ['mine', 2],
    ]);
    expect(await store.readAcross({ tenant: 'mine', product: 'q' }, { order: 'asc', limit: 50 })).toBeUndefined();
    expect(await store.readDirectory({ directoryId: mine, tenant: 'theirs' }, { order: 'asc', limit: 50 })).toBeUndefined();
    expect(await store.readDirectory({ directoryId: newId() }, { order: 'asc', limit: 50 })).toBeUndefined();
    expect(await store.readDirectory({ directoryId: mine, ...owner }, { order: 'asc', limit: 50 })).toMatchObject({ hasMore: false });
  });

  it('tells whose events are new, and how far it has looked', async () => {
    const mine = await createDirectory({ tenant: 'mine', product: 'p' });
    await untilReadable(db);
    const { place } = pageOf(await store.readAcross(undefined, { order: 'asc', limit: 50 }));
    const sinceTxid = Number((place as TransactionPlace).txid);
    const nothing = await store.look({ directoryIds: [mine, newId()], sinceTxid });
    expect(nothing).toEqual({ lastSequences: new Map([[mine, 0]]), owners: [], settledTxid: expect.any(Number) });
    const open = await db.transaction();
    await write(open, mine);
    expect((await store.look({ directoryIds: [mine], sinceTxid })).owners).toEqual([]);
    await open.commit();
    await untilReadable(db);
    const news = await store.look({ directoryIds: [mine], sinceTxid });
    expect(news).toMatchObject({ lastSequences: new Map([[mine, 1]]), owners: [{ tenant: 'mine', product: 'p' }] });
    expect(await store.look({ directoryIds: [], sinceTxid: news.settledTxid })).toMatchObject({ owners: [] });
    await write(db, mine, { count: 10_000 });
    await untilReadable(db);
    expect((await store.look({ directoryIds: [], sinceTxid: news.settledTxid })).owners).toBe('everybody');
  });
});

describe('a database that was restored', () => {
  it('refuses cursors that are ahead of it', async () => {
    const directoryId = await createDirectory();
    await write(db, directoryId, { count: 3 });
    await untilReadable(db);
    const { place } = pageOf(await store.readAcross(undefined, { order: 'asc', limit: 50 }));
    const { txid } = place as TransactionPlace;
    const ahead = { ...(place as TransactionPlace), txid: String(Number(txid) + 1_000_000) };
    for (const order of ['asc', 'desc'] as const) {
      expect(await store.readAcross(undefined, { order, limit: 50, after: ahead })).toMatchObject({ lost: 'moved' });
      expect(await store.readDirectory({ directoryId }, { order, limit: 50, after: { sequence: 4 } })).toMatchObject({ lost: 'moved' });
    }
  });

  it('refuses cursors from where it was dumped, and keeps its own through maintenance', async () => {
    const directoryId = await createDirectory();
    await write(db, directoryId);
    await untilReadable(db);
    const { place } = pageOf(await store.readAcross(undefined, { order: 'asc', limit: 50 }));
    const after = place as TransactionPlace;
    await db.raw('vacuum (full, freeze) knex_migrations');
    expect(pageOf(await store.readAcross(undefined, { order: 'asc', limit: 50, after })).events).toEqual([]);
    // Rows that a dump brings back are written anew.
    await db.transaction(async (trx) => {
      const rows = await trx('knex_migrations').orderBy('id');
      await trx('knex_migrations').delete();
      await trx('knex_migrations').insert(rows);
    });
    expect(await store.readAcross(undefined, { order: 'asc', limit: 50, after })).toMatchObject({ lost: 'moved' });
  });

  it('puts events before all that it writes itself, each directory’s in their order', async () => {
    const [one, other] = [await createDirectory(), await createDirectory()];
    for (const directoryId of [one, other, one]) await write(db, directoryId, { count: 2 });
    await db('events').update({ txid: db.raw(`(txid::text::bigint + 1000000000)::text::xid8`) });
    await db('feed_horizon').update({ swept_txid: '2000000000' });
    expect(pageOf(await store.readAcross(undefined, { order: 'asc', limit: 50 })).events).toEqual([]);
    await Promise.all([settleTransactions(db), settleTransactions(db)]);
    await write(db, other);
    await settleTransactions(db);
    await untilReadable(db);
    const { events } = pageOf(await store.readAcross(undefined, { order: 'asc', limit: 50 }));
    const of = (directoryId: string) => events.filter(({ directory }) => directory.id === directoryId).map(({ sequence }) => sequence);
    expect([of(one), of(other)]).toEqual([numbers(1, 4), numbers(1, 3)]);
    expect(events.at(-1)).toMatchObject({ directory: { id: other }, sequence: 3 });
  });
});

it('waits for nobody who only reads', async () => {
  const directoryId = await createDirectory();
  const reader = await db.transaction();
  await reader.raw('select count(*) from directories');
  await write(db, directoryId);
  await until(async () => pageOf(await store.readAcross(undefined, { order: 'asc', limit: 50 })).events.length === 1);
  await reader.rollback();
});
