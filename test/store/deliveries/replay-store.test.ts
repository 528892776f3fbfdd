import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { createReplayStore } from '../../../src/store/deliveries/replay-store.ts';
import { cloneDatabase } from '../../support/database.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';

const startMs = Date.parse('2026-11-01T00:00:00Z');
const after = (seconds: number) => new Date(startMs + seconds * 1000);
const directoryId = newId();
/** The clock of the process that wrote the third event is 30 s behind. */
const seconds = [0, 600, 570, 601, 1_200];
const ids = seconds.map((second) => newId(after(second).getTime()));

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
  const directory = { id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2', last_sequence: seconds.length };
  await database.db('directories').insert(directory);
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId, acked_sequence: seconds.length });
  for (const [index, second] of seconds.entries())
    await database.db('stored_events').insert({
      directory_id: directoryId,
      sequence: index + 1,
      id: ids[index],
      type: 'user.created',
      data: '{}',
      occurred_at: after(second),
    });
});
afterAll(() => database.drop());

const replays = () => createReplayStore(unlimitedReads(database.db));
const find = (from?: Date, to?: Date) => replays().findSequencesByTime(directoryId, { from, to }, undefined);

it('finds each event by its ID, although the clocks of processes differ', async () => {
  const found = await Promise.all(ids.map((id) => replays().findSequence(directoryId, id, undefined)));
  expect(found).toEqual([1, 2, 3, 4, 5]);
  expect(await replays().findSequence(directoryId, newId(), undefined)).toBeUndefined();
  expect(await replays().findSequence(newId(), ids[0]!, undefined)).toBeUndefined();
});

it('finds the events of a period, although the clocks of processes differ', async () => {
  expect(await find(after(570), after(600))).toEqual([2, 3]);
  expect(await find(after(590), after(601))).toEqual([2, 4]);
  expect(await find(after(602))).toEqual([5, 5]);
  expect(await find(undefined, after(100))).toEqual([1, 1]);
  expect(await find()).toEqual([1, 5]);
  expect(await find(after(2_000))).toBeUndefined();
});
