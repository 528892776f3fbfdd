import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { createRetentionStore } from '../../../src/store/deliveries/retention-store.ts';
import { cloneDatabase } from '../../support/database.ts';
import type { RetentionStore } from '../../../src/directory/maintenance/retention.ts';

const dayMs = 86_400_000;
const keptMs = 7 * dayMs;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let retention: RetentionStore;
beforeAll(async () => {
  database = await cloneDatabase();
  retention = createRetentionStore(database.db);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.db('directories').delete();
  await database.db('feed_horizon').update({ swept_txid: '0' });
});

/** A directory with an event for each age. The first `delivered` of them are delivered. */
async function directoryWith(agesInDays: number[], acked: number): Promise<string> {
  const id = newId();
  const sequence = agesInDays.length;
  await database.db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2', last_sequence: sequence });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: id, acked_sequence: acked });
  for (const [index, age] of agesInDays.entries())
    await database
      .db('events')
      .insert({ directory_id: id, sequence: index + 1, id: newId(), type: 'user.created', data: '{}', occurred_at: daysAgo(age) });
  return id;
}
const sequencesOf = (id: string) => database.db('events').where({ directory_id: id }).orderBy('sequence').pluck('sequence');

async function dropAll(round: { directories: number; rows: number }): Promise<number> {
  let dropped = 0;
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined;) {
    const done: { count: number; after: string | undefined } = await retention.dropEvents(keptMs, { after, ...round });
    dropped += done.count;
    ({ after } = done);
  }
  return dropped;
}

it('drops old delivered events, and never an undelivered one', async () => {
  const some = await directoryWith([20, 10, 8, 3, 1], 5);
  const undelivered = await directoryWith([30, 20, 10], 1);
  expect(await dropAll({ directories: 10, rows: 100 })).toBe(4);
  expect(await sequencesOf(some)).toEqual([4, 5]);
  expect(await sequencesOf(undelivered)).toEqual([2, 3]);
});

it('reaches all directories with small batches', async () => {
  const ids = await Promise.all([1, 2, 3, 4, 5].map(() => directoryWith([20, 19, 18, 17, 16, 15, 1], 7)));
  expect(await dropAll({ directories: 2, rows: 4 })).toBe(30);
  for (const id of ids) expect(await sequencesOf(id)).toEqual([7]);
});

it('records what it dropped, so that a feed can report missed events', async () => {
  const id = await directoryWith([20, 10, 1], 3);
  const [newest] = await database.db('events').where({ directory_id: id, sequence: 2 }).pluck('txid');
  await dropAll({ directories: 10, rows: 100 });
  expect(await database.db('directories').where({ id }).first('swept_sequence')).toEqual({ swept_sequence: 2 });
  expect(await database.db('feed_horizon').first()).toEqual({ swept_txid: newest });
});

it('drops old settled deliveries with their attempts, and keeps open ones', async () => {
  const id = await directoryWith([20, 20, 20], 1);
  const { id: endpointId } = await database.db('webhook_endpoints').where({ directory_id: id }).first();
  const batch = (name: string, more: object) => ({
    id: `msg_${name}`,
    directory_id: id,
    endpoint_id: endpointId,
    from_sequence: 1,
    to_sequence: 1,
    event_count: 1,
    bytes: 1,
    sha256: '',
    ...more,
  });
  await database
    .db('webhook_batches')
    .insert([
      batch('old', { status: 'delivered', done_at: daysAgo(8) }),
      batch('new', { status: 'delivered', done_at: daysAgo(6) }),
      batch('open', { status: 'pending', created_at: daysAgo(8) }),
      batch('stuck', { status: 'exhausted', created_at: daysAgo(8) }),
    ]);
  await database.db('webhook_attempts').insert({ directory_id: id, batch_id: 'msg_old', number: 1, url: 'http://x/' });
  expect(await retention.dropDeliveries(keptMs, 100)).toBe(1);
  expect(await database.db('webhook_batches').where({ directory_id: id }).orderBy('id').pluck('id')).toEqual([
    'msg_new',
    'msg_open',
    'msg_stuck',
  ]);
  expect(await database.db('webhook_attempts').where({ directory_id: id })).toEqual([]);
});
