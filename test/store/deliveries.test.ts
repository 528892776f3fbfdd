import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { applyMutations } from '../../src/directory/apply-mutations.ts';
import type { Attempt, ChangeStore, DeliveryStore, Lane } from '../../src/directory/ports.ts';
import { newId } from '../../src/ids.ts';
import { createKeyring } from '../../src/keyring.ts';
import { createChangeStore } from '../../src/store/changes/change-store.ts';
import { createDeliveryStore } from '../../src/store/deliveries.ts';
import { createSecretColumns } from '../../src/store/secret-columns.ts';
import { cloneDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let changes: ChangeStore;
let deliveries: DeliveryStore;
let directoryId: string;
beforeAll(async () => {
  database = await cloneDatabase();
  changes = createChangeStore(database.db);
  deliveries = createDeliveryStore(database.db, createSecretColumns(createKeyring([randomBytes(32)])));
});
afterAll(() => database.drop());
beforeEach(async () => {
  directoryId = newId();
  await database.db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId, url: 'http://127.0.0.1:1/' });
});

const push = (userName: string) =>
  applyMutations(changes, directoryId, [{ kind: 'createUser', id: newId(), directoryId, resourceId: newId(), resource: { userName } }]);
const takeLane = async () => ((await deliveries.takeLane(directoryId)) as { lane: Lane }).lane;
const start = async (lane: Lane) => (await deliveries.startAttempt(lane)) as Attempt;
const endpoint = () => database.db('webhook_endpoints').where({ directory_id: directoryId }).first();

it('freezes a batch once: what is sent again is the same to the byte', async () => {
  await push('ada');
  const first = await start(await takeLane());
  await database.db('events').where({ directory_id: directoryId }).update({ data: '{}' });
  await push('ben');
  const again = await start(await takeLane());
  expect(again.batch).toMatchObject({ id: first.batch.id, body: first.batch.body });
  expect([first.number, again.number]).toEqual([1, 2]);
  expect(await database.db('webhook_attempts').where({ batch_id: first.batch.id }).orderBy('number').pluck('outcome')).toEqual([
    'aborted',
    'in_flight',
  ]);
});

it('moves the cursor after a success only, and then never twice', async () => {
  await push('ada');
  await push('ben');
  const lane = await takeLane();
  const failed = await start(lane);
  expect(await deliveries.finishAttempt(lane, failed, { outcome: 'http_error', statusCode: 500 }, 0)).toBe('kept');
  expect(await endpoint()).toMatchObject({ acked_sequence: 0 });
  const taken = await start(lane);
  expect(taken.batch.id).toBe(failed.batch.id);
  await deliveries.finishAttempt(lane, taken, { outcome: 'success', statusCode: 200 }, 0);
  expect(await endpoint()).toMatchObject({ acked_sequence: 1 });
  expect((await start(lane)).batch.toSequence).toBe(2);
});

it('fences off a lane that somebody else has taken since', async () => {
  await push('ada');
  const stale = await takeLane();
  const attempt = await start(stale);
  const lane = await takeLane();
  expect(await deliveries.startAttempt(stale)).toBe('superseded');
  expect(await deliveries.finishAttempt(stale, attempt, { outcome: 'success', statusCode: 200 }, 0)).toBe('superseded');
  expect(await endpoint()).toMatchObject({ acked_sequence: 0 });
  expect((await start(lane)).batch.id).toBe(attempt.batch.id);
});

it('allows one open batch only, by the database itself', async () => {
  await push('ada');
  await start(await takeLane());
  const [head] = await database.db('webhook_batches').where({ directory_id: directoryId });
  await expect(database.db('webhook_batches').insert({ ...head, id: 'msg_other' })).rejects.toMatchObject({ code: '23505' });
});

it('lowers the wake flag when it begins, and leaves it up while it has to wait', async () => {
  await push('ada');
  const lane = await takeLane();
  expect(await endpoint()).toMatchObject({ wake: false });
  await deliveries.finishAttempt(lane, await start(lane), { outcome: 'http_error', statusCode: 500 }, 60_000);
  await push('ben');
  expect(await endpoint()).toMatchObject({ wake: true });
  expect(await deliveries.takeLane(directoryId)).toEqual({ retryInMs: expect.any(Number) });
  expect(await endpoint()).toMatchObject({ wake: true });
  await database.db('webhook_endpoints').where({ directory_id: directoryId }).update({ url: null });
  expect(await deliveries.takeLane(directoryId)).toBe('unaddressed');
  expect(await endpoint()).toMatchObject({ wake: true });
});

it('says when there is nothing to do', async () => {
  expect(await deliveries.startAttempt(await takeLane())).toBe('drained');
  expect(await deliveries.takeLane(newId())).toBe('gone');
});

it('finds a backlog that nobody works on, and not one that waits for its time', async () => {
  await push('ada');
  const forgotten = async () => (await deliveries.findForgotten(100)).includes(directoryId);
  expect(await forgotten()).toBe(false);
  const old = { wake_at: new Date(0), updated_at: new Date(0) };
  await database.db('webhook_endpoints').where({ directory_id: directoryId }).update(old);
  expect(await forgotten()).toBe(true);
  expect(await forgotten()).toBe(false);
  const lane = await takeLane();
  await deliveries.finishAttempt(lane, await start(lane), { outcome: 'http_error', statusCode: 500 }, 60_000);
  await database.db('webhook_endpoints').where({ directory_id: directoryId }).update(old);
  expect(await forgotten()).toBe(false);
});
