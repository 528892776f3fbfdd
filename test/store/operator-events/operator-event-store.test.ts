import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { createOperatorEventStore } from '../../../src/store/operator-events/operator-event-store.ts';
import { cloneDatabase } from '../../support/database.ts';

const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.db('operator_events').delete());

const [loud, quiet, other] = [newId(), newId(), newId()];
let madeAtMs = Date.now();
/** Inserts events of a directory, each later than the one before. Returns their ids. */
async function note(directoryId: string, count: number, createdAt = new Date()): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId((madeAtMs += 1)));
  const body = JSON.stringify({ event: 'dsync.deactivated', tenant: 't', product: 'p', data: { id: directoryId, name: 'n' } });
  await database.db('operator_events').insert(ids.map((id) => ({ id, body, created_at: createdAt })));
  return ids;
}
const waiting = () => database.db('operator_events').orderBy('id').pluck<string[]>('id');

it('drops the oldest events of the directory with the most waiting events, and none of others', async () => {
  const store = createOperatorEventStore(database.db, { maxWaiting: 10 });
  const early = await note(quiet, 2);
  const many = await note(loud, 12);
  const late = await note(other, 3);
  expect(await store.dropUndelivered(4)).toBe(4);
  expect(await waiting()).toEqual([...early, ...many.slice(4), ...late]);
  expect(await store.dropUndelivered(4)).toBe(3);
  expect(await store.dropUndelivered(4)).toBe(0);
  expect(await waiting()).toEqual([...early, ...many.slice(7), ...late]);
});

it('drops events older than 30 days', async () => {
  const store = createOperatorEventStore(database.db);
  await note(quiet, 3, daysAgo(31));
  const recent = await note(quiet, 2, daysAgo(29));
  expect(await store.dropUndelivered(2)).toBe(2);
  expect(await store.dropUndelivered(2)).toBe(1);
  expect(await waiting()).toEqual(recent);
});

it('counts an attempt once, and gives up no event that another sender has tried meanwhile', async () => {
  const store = createOperatorEventStore(database.db);
  const [id] = await note(quiet, 1);
  const seen = { id: id!, attempts: 0 };
  await Promise.all([store.postpone(seen, 60_000), store.postpone(seen, 60_000)]);
  await store.remove(seen);
  expect(await store.oldest()).toMatchObject({ id, attempts: 1 });
  // A delivered event is removed whoever delivered it.
  await store.remove({ id: id! });
  expect(await waiting()).toEqual([]);
});

it('keeps 10,000 events', async () => {
  const store = createOperatorEventStore(database.db);
  for (let round = 0; round < 10; round += 1) await note(loud, 1_001);
  const early = await note(quiet, 1);
  expect(await store.dropUndelivered(2_000)).toBe(11);
  const left = await waiting();
  expect(left).toHaveLength(10_000);
  expect(left).toContain(early[0]);
});
