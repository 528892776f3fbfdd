import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import { freezeDelivery } from '../../../src/directory/delivery/freeze-delivery.ts';
import type { Attempt, DeliveryStore, DueDelivery, SendResult, TakenLane } from '../../../src/directory/delivery/ports.ts';
import type { ChangeStore } from '../../../src/directory/ports.ts';
import { newId } from '../../../src/ids.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { createDeliveryStore } from '../../../src/store/deliveries/delivery-store.ts';
import { endWatches } from '../../../src/store/deliveries/wake-flags.ts';
import { createWorkerLeaseStore } from '../../../src/store/deliveries/worker-lease-store.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { createSecretColumns } from '../../../src/store/encryption/secret-columns.ts';
import { cloneDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { holder } from '../../support/drain.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let changes: ChangeStore;
let deliveries: DeliveryStore;
let directoryId: string;
beforeAll(async () => {
  database = await cloneDatabase();
  changes = createChangeStore(database.db);
  deliveries = createDeliveryStore({
    db: database.db,
    secretColumns: createSecretColumns(createKeyring([randomBytes(32)])),
    emitOperatorEvent: createEmitOperatorEvent({ isHeard: false }),
    inBatches: false,
  });
});
afterAll(() => database.drop());
beforeEach(async () => {
  directoryId = newId();
  await database.db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId, url: 'http://127.0.0.1:1/' });
});

const respondedWith = (statusCode: number): SendResult => ({
  outcome: statusCode < 300 ? 'success' : 'http_error',
  statusCode,
  details: { requestHeaders: {}, timings: { totalMs: 1 } },
});
const retry = (delayMs: number) => ({ kind: 'retry', delayMs, counts: true, clientError: false }) as const;

const push = (userName: string) =>
  applyInTransaction(changes, directoryId, [{ kind: 'createUser', id: newId(), directoryId, resourceId: newId(), resource: { userName } }]);
const take = async () => (await deliveries.takeLane(directoryId, holder)) as TakenLane;
const begin = async (taken: TakenLane, after = taken.ackedSequence) => {
  const { events } = await deliveries.readEvents(directoryId, { after, upTo: after + 1, limit: 1, maxBytes: 1_000_000 });
  const next = taken.head
    ? { open: taken.head as DueDelivery }
    : { freeze: freezeDelivery(taken, events, { asArray: false, maxEvents: 1 }) };
  return ((await deliveries.concludeAndBeginAttempt(taken.lane, next)) as { attempt: Attempt }).attempt;
};
const endpoint = () => database.db('webhook_endpoints').where({ directory_id: directoryId }).first();

it('freezes a delivery once, so that retries send the same bytes', async () => {
  await push('ada');
  const first = await begin(await take());
  await database.db('events').where({ directory_id: directoryId }).update({ data: '{}' });
  await push('ben');
  const again = await begin(await take());
  expect(again.delivery).toMatchObject({ id: first.delivery.id, body: first.delivery.body });
  expect([first.number, again.number]).toEqual([1, 2]);
  expect(await database.db('webhook_attempts').where({ batch_id: first.delivery.id }).orderBy('number').pluck('outcome')).toEqual([
    'aborted',
    'in_flight',
  ]);
});

it('moves the cursor only after a success, and begins the next attempt in the same statement', async () => {
  await push('ada');
  await push('ben');
  const taken = await take();
  const failed = await begin(taken);
  expect(await deliveries.recordFailure(taken.lane, { attempt: failed, result: respondedWith(500) }, retry(0))).toBe('kept');
  expect(await endpoint()).toMatchObject({ acked_sequence: 0 });
  const again = await take();
  const attempt = await begin(again);
  expect(attempt.delivery.id).toBe(failed.delivery.id);
  const { events } = await deliveries.readEvents(directoryId, { after: 1, upTo: 2, limit: 1, maxBytes: 1_000_000 });
  const turned = await deliveries.concludeAndBeginAttempt(again.lane, {
    delivered: { attempt, result: respondedWith(200), batchLimit: undefined },
    freeze: freezeDelivery(again, events, { asArray: false, maxEvents: 1 }),
  });
  expect(turned).toMatchObject({ attempt: { number: 1, delivery: { fromSequence: 2 } }, lastSequence: 2 });
  expect(await endpoint()).toMatchObject({ acked_sequence: 1 });
  expect(await database.db('webhook_batches').where({ directory_id: directoryId }).orderBy('from_sequence').pluck('status')).toEqual([
    'delivered',
    'pending',
  ]);
});

it('rejects operations of a lane that was taken again', async () => {
  await push('ada');
  const stale = await take();
  const attempt = await begin(stale);
  const taken = await take();
  expect(await deliveries.concludeAndBeginAttempt(stale.lane, {})).toBe('superseded');
  expect(
    await deliveries.concludeAndBeginAttempt(stale.lane, { delivered: { attempt, result: respondedWith(200), batchLimit: undefined } }),
  ).toBe('superseded');
  expect(await deliveries.recordFailure(stale.lane, { attempt, result: respondedWith(500) }, retry(0))).toBe('superseded');
  expect(await endpoint()).toMatchObject({ acked_sequence: 0 });
  expect((await begin(taken)).delivery.id).toBe(attempt.delivery.id);
});

it('allows only one open delivery, by a database constraint', async () => {
  await push('ada');
  await begin(await take());
  const [head] = await database.db('webhook_batches').where({ directory_id: directoryId });
  await expect(database.db('webhook_batches').insert({ ...head, id: 'msg_other' })).rejects.toMatchObject({ code: '23505' });
});

it('clears the wake flag when it begins, and keeps it set while it has to wait', async () => {
  await push('ada');
  const taken = await take();
  expect(await endpoint()).toMatchObject({ wake: false });
  await deliveries.recordFailure(taken.lane, { attempt: await begin(taken), result: respondedWith(500) }, retry(60_000));
  expect(await endpoint()).toMatchObject({ wake: true });
  expect(await push('ben')).toMatchObject({ wake: false });
  expect(await deliveries.takeLane(directoryId, holder)).toEqual({ retryInMs: expect.any(Number) });
  expect(await endpoint()).toMatchObject({ wake: true });
  await database.db('webhook_endpoints').where({ directory_id: directoryId }).update({ url: null });
  expect(await deliveries.takeLane(directoryId, holder)).toBe('inactive');
  expect(await endpoint()).toMatchObject({ wake: true });
});

it('does not wake a delivery that watches for events, and finds events from before the watch ended', async () => {
  const { lane } = await take();
  await deliveries.goIdle(lane, { keepWatch: true, usedSecretIds: [] });
  expect(await push('ada')).toMatchObject({ wake: false });
  expect(await deliveries.stopWatching(lane)).toEqual({ lastSequence: 1 });
  expect(await push('ben')).toMatchObject({ wake: true });
});

it('sees events that are committed while it waits for the lane, without a wake-up', async () => {
  await push('ada');
  const writer = await database.db.transaction();
  await writer('directories').where({ id: directoryId }).update({ last_sequence: 2 });
  await writer('webhook_endpoints').where({ directory_id: directoryId }).forUpdate().first('id');
  const taking = take();
  await until(
    async () =>
      (
        await database
          .db('pg_stat_activity')
          .whereRaw(`datname = current_database() and wait_event_type = 'Lock' and query like '%epoch + 1%'`)
      ).length > 0,
  );
  await writer.commit();
  expect(await taking).toMatchObject({ lastSequence: 2 });
});

it('freezes only events that follow the cursor, so that none is skipped', async () => {
  await push('ada');
  await push('ben');
  const taken = await take();
  const { events } = await deliveries.readEvents(directoryId, { after: 1, upTo: 2, limit: 1, maxBytes: 1_000_000 });
  expect(
    await deliveries.concludeAndBeginAttempt(taken.lane, { freeze: freezeDelivery(taken, events, { asArray: false, maxEvents: 1 }) }),
  ).not.toHaveProperty('attempt');
  expect(await database.db('webhook_batches').where({ directory_id: directoryId })).toEqual([]);
});

it('ignores a failure of the previous address if the webhook was changed during the attempt', async () => {
  await push('ada');
  const taken = await take();
  const attempt = await begin(taken);
  await database.db('webhook_endpoints').where({ directory_id: directoryId }).update({ url: 'http://127.0.0.1:2/' });
  const disable = { kind: 'disable', status: 'disabled', reason: '410', exhausted: false } as const;
  expect(await deliveries.recordFailure(taken.lane, { attempt, result: respondedWith(410) }, disable)).toBe('moved');
  expect(await endpoint()).toMatchObject({ status: 'active', first_failure_at: null });
  expect((await take()).head).toMatchObject({ failures: 0, retryInMs: expect.any(Number) });
});

it('deletes the bodies of delivered events, unless they are logged', async () => {
  const content = () => database.db('events').where({ directory_id: directoryId }).orderBy('sequence').select('sequence', 'data');
  await push('ada');
  await push('ben');
  const taken = await take();
  const attempt = await begin(taken);
  await deliveries.concludeAndBeginAttempt(taken.lane, { delivered: { attempt, result: respondedWith(200), batchLimit: undefined } });
  await database.db('directories').where({ id: directoryId }).update({ log_webhook_events: true });
  expect(await deliveries.deleteDeliveredBodies(taken.lane)).toBe(false);
  expect((await content()).filter(({ data }) => data === null)).toEqual([]);
  await database.db('directories').where({ id: directoryId }).update({ log_webhook_events: false });
  expect(await deliveries.deleteDeliveredBodies(taken.lane)).toBe(false);
  expect(await content()).toMatchObject([{ data: null }, { data: { email: 'ben' } }]);
});

it('deletes many bodies in batches', async () => {
  await push('ada');
  await database.db.raw(
    `insert into events (directory_id, sequence, id, type, data, occurred_at)
     select directory_id, n, gen_random_uuid(), type, data, occurred_at from events, generate_series(2, 4500) n where directory_id = ?`,
    [directoryId],
  );
  await database.db('webhook_endpoints').where({ directory_id: directoryId }).update({ acked_sequence: 4500 });
  const { lane } = await take();
  const left = async () =>
    (await database.db('events').where({ directory_id: directoryId }).whereNotNull('data').count<{ count: number }[]>())[0]!.count;
  const steps: [boolean, number][] = [];
  for (let step = 1; step <= 3; step += 1) steps.push([await deliveries.deleteDeliveredBodies(lane), await left()]);
  expect(steps).toEqual([
    [true, 2500],
    [true, 500],
    [false, 0],
  ]);
});

it('returns gone for a directory that does not exist', async () => {
  expect(await deliveries.takeLane(newId(), holder)).toBe('gone');
});

it('finds a stalled backlog, but not one that waits for its next attempt', async () => {
  await push('ada');
  const forgotten = async () => (await deliveries.findStalled(100, 30_000)).find((stalled) => stalled.directoryId === directoryId)?.isHeld;
  expect(await forgotten()).toBeUndefined();
  const old = { wake_at: new Date(0), updated_at: new Date(0) };
  await database.db('webhook_endpoints').where({ directory_id: directoryId }).update(old);
  expect(await forgotten()).toBe(false);
  expect(await forgotten()).toBeUndefined();
  const taken = await take();
  await deliveries.recordFailure(taken.lane, { attempt: await begin(taken), result: respondedWith(500) }, retry(60_000));
  await database.db('webhook_endpoints').where({ directory_id: directoryId }).update(old);
  expect(await forgotten()).toBeUndefined();
});

it('finds a stalled backlog as held only while its worker renews its lease', async () => {
  await push('ada');
  await take();
  const { db } = database;
  const isHeld = async () => {
    await db('webhook_endpoints')
      .where({ directory_id: directoryId })
      .update({ wake_at: new Date(0), updated_at: new Date(0) });
    return (await deliveries.findStalled(100, 30_000)).find((stalled) => stalled.directoryId === directoryId)?.isHeld;
  };
  expect(await isHeld()).toBe(false);
  const leases = createWorkerLeaseStore(db);
  await leases.renewLease(holder.workerId, 60_000);
  expect(await isHeld()).toBe(true);
  await leases.endLease(holder.workerId);
  expect(await isHeld()).toBe(false);
  await leases.renewLease(holder.workerId, 60_000);
  await db('webhook_endpoints').where({ directory_id: directoryId }).increment('epoch');
  expect(await isHeld()).toBe(false);
});

it('asks only the drains of given directories to end, and waits for no lock', async () => {
  const { db } = database;
  const ofDirectory = () => db('webhook_endpoints').where({ directory_id: directoryId });
  await take();
  await ofDirectory().update({ wake: true });
  await endWatches(db, [newId()]);
  const lockHolder = await db.transaction();
  await lockHolder('webhook_endpoints').where({ directory_id: directoryId }).forUpdate();
  await endWatches(db, [directoryId]);
  await lockHolder.rollback();
  expect(await ofDirectory()).toMatchObject([{ wake: true }]);
  await endWatches(db, [directoryId]);
  expect(await ofDirectory()).toMatchObject([{ wake: false }]);
});

it('releases the lane of a directory that is being deleted', async () => {
  await database.db('directories').where({ id: directoryId }).update({ deleting_at: new Date() });
  expect(await deliveries.takeLane(directoryId, holder)).toBe('gone');
  expect(await database.db('webhook_endpoints').where({ directory_id: directoryId }).first()).toMatchObject({ worker_id: null });
});
