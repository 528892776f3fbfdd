import { describe, expect, it } from '@jest/globals';
import { numbers, pageOf, sequences, setUpFeedStore, walk, write, type Ask } from '../../support/feed-store.ts';

const feed = setUpFeedStore();
const { createDirectory, feeds } = feed;

/** Returns how many documents the database has weighed. The first call starts the count. */
async function countWeighed(): Promise<number> {
  await feed.db.raw('create sequence if not exists weighed');
  await feed.db.raw(`create or replace function json_weight(document jsonb) returns integer language plpgsql as $$
    begin
      perform nextval('weighed');
      return octet_length(cast(document as text));
    end $$`);
  const { rows } = await feed.db.raw<{ rows: { count: number }[] }>(`select nextval('weighed') as count`);
  return rows[0]!.count;
}

describe.each(Object.entries(feeds))('the feed %s', (_name, read) => {
  it('begins at the oldest event, and continues where a page ended', async () => {
    const directoryId = await createDirectory();
    await write(feed.db, directoryId, { count: 5 });
    await write(feed.db, directoryId, { count: 6 });
    const { pages, events, place } = await walk((after) => read(directoryId, { limit: 4, ...(after && { after }) }));
    expect(pages.map(sequences)).toEqual([numbers(1, 4), numbers(5, 8), numbers(9, 11)]);
    expect(pageOf(await read(directoryId, { after: place })).events).toEqual([]);
    expect(events[0]).toMatchObject({
      type: 'user.created',
      data: { n: 1, x: 'x' },
      directory: { id: directoryId, tenant: 't', product: 'p' },
    });
  });

  it('stays at the end, and then returns new events', async () => {
    const directoryId = await createDirectory();
    const { place: start } = pageOf(await read(directoryId));
    await write(feed.db, directoryId);
    const first = pageOf(await read(directoryId, { after: start }));
    expect(sequences(first)).toEqual([1]);
    const none = pageOf(await read(directoryId, { after: first.place }));
    expect(none).toMatchObject({ events: [], hasMore: false });
    await write(feed.db, directoryId, { count: 2 });
    expect(sequences(pageOf(await read(directoryId, { after: none.place })))).toEqual([2, 3]);
  });

  it('reads backwards from the newest event, and forwards again from any place', async () => {
    const directoryId = await createDirectory();
    for (let change = 0; change < 4; change += 1) await write(feed.db, directoryId, { count: 3 });
    const down = await walk((after) => read(directoryId, { order: 'desc', limit: 5, ...(after && { after }) }));
    expect(down.pages.map(sequences)).toEqual([numbers(8, 12).toReversed(), numbers(3, 7).toReversed(), [2, 1]]);
    expect(pageOf(await read(directoryId, { order: 'desc', after: down.place }))).toMatchObject({ events: [], hasMore: false });
    expect(sequences(pageOf(await read(directoryId, { after: down.pages[1]!.place })))).toEqual(numbers(4, 12));
    const { place: now } = pageOf(await read(directoryId, { order: 'desc', limit: 1 }));
    await write(feed.db, directoryId);
    expect(sequences(pageOf(await read(directoryId, { after: now })))).toEqual([13]);
  });

  it('reads an empty feed backwards without losing later events', async () => {
    const directoryId = await createDirectory();
    const { place, events } = pageOf(await read(directoryId, { order: 'desc' }));
    expect(events).toEqual([]);
    await write(feed.db, directoryId);
    expect(sequences(pageOf(await read(directoryId, { after: place })))).toEqual([1]);
  });

  it('skips any number of events of other types', async () => {
    const directoryId = await createDirectory();
    await write(feed.db, directoryId, { count: 10_500 });
    await write(feed.db, directoryId, { type: 'user.deleted' });
    await write(feed.db, directoryId, { count: 3 });
    const ask: Ask = { types: ['user.deleted', 'group.deleted'] };
    const first = pageOf(await read(directoryId, ask));
    expect(first).toMatchObject({ events: [], hasMore: true });
    const second = pageOf(await read(directoryId, { ...ask, after: first.place }));
    expect([sequences(second), second.hasMore]).toEqual([[10_501], false]);
    // The place is after the skipped events.
    expect(pageOf(await read(directoryId, { after: second.place })).events).toEqual([]);
    const down = await walk((after) => read(directoryId, { ...ask, order: 'desc', ...(after && { after }) }));
    expect(down.events.map(({ sequence }) => sequence)).toEqual([10_501]);
  });

  it('ends a page early to limit its memory', async () => {
    const directoryId = await createDirectory();
    await write(feed.db, directoryId, { count: 5, bytes: 4_000_000 });
    await write(feed.db, directoryId);
    for (const order of ['asc', 'desc'] as const) {
      const { pages, events } = await walk((after) => read(directoryId, { order, limit: 100, ...(after && { after }) }));
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.map(({ events: { length } }) => length).every((length) => length > 0 && length <= 4)).toBe(true);
      expect(events.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(numbers(1, 6));
    }
  });

  it('weighs only as many large events as fit into a page', async () => {
    const directoryId = await createDirectory();
    await write(feed.db, directoryId, { count: 60, bytes: 1_000_000 });
    await feed.db('stored_events').where({ directory_id: directoryId }).update({ bytes: 1_000_000 });
    for (const order of ['asc', 'desc'] as const) {
      const weighed = await countWeighed();
      const { events, hasMore } = pageOf(await read(directoryId, { order, limit: 100 }));
      expect([events.length, hasMore]).toEqual([9, true]);
      expect((await countWeighed()) - weighed).toBeLessThan(12);
    }
    const { events } = await walk((after) => read(directoryId, { limit: 100, ...(after && { after }) }));
    expect(events.map(({ sequence }) => sequence)).toEqual(numbers(1, 60));
  });

  it('returns events whose bodies are deleted', async () => {
    const directoryId = await createDirectory();
    await write(feed.db, directoryId, { count: 2 });
    await feed.db('events').where({ directory_id: directoryId, sequence: 1 }).update({ data: null });
    expect(pageOf(await read(directoryId)).events.map(({ data }) => data)).toEqual([null, { n: 2, x: 'x' }]);
  });
});

it.each(['asc', 'desc'] as const)('skips the events of a directory that is being deleted, %s', async (order) => {
  const [gone, kept] = [await createDirectory(), await createDirectory()];
  for (const id of [gone, kept, gone]) await write(feed.db, id, { count: 3 });
  await feed.db('all_directories').where({ id: gone }).update({ deleting_at: new Date() });
  const { events } = await walk((after) => feeds['across directories']('', { order, limit: 2, ...(after && { after }) }));
  expect(events.map(({ directory, sequence }) => [directory.id, sequence])).toEqual(
    (order === 'asc' ? numbers(1, 3) : numbers(1, 3).toReversed()).map((sequence) => [kept, sequence]),
  );
});
