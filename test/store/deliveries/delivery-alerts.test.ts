import { beforeEach, expect, it } from '@jest/globals';
import { createAnnounceRecovered } from '../../../src/store/deliveries/delivery-alerts.ts';
import { createAnnounceStale } from '../../../src/store/directories/stale-directories.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { setUpDrain } from '../../support/drain.ts';

const drained = setUpDrain();
const { push, drain, drainNow, endpoint } = drained;
const emitOperatorEvent = createEmitOperatorEvent({ isHeard: true });
beforeEach(async () => {
  await drained.db('operator_events').delete();
});

const announced = async () => {
  const bodies = await drained.db('operator_events').orderBy('id').pluck<string[]>('body');
  return bodies.map((body) => (JSON.parse(body) as { event: string }).event);
};
const failTimes = async (count: number) => {
  drained.respond = () => 503;
  for (let failures = 0; failures < count; failures += 1) await drainNow();
};

it('announces a failing delivery with the third failure in a row', async () => {
  await push(1);
  await failTimes(2);
  expect([await announced(), (await endpoint()).consecutive_failures]).toEqual([[], 2]);
  await failTimes(1);
  expect(await announced()).toEqual(['dsync.delivery.failing']);
});

it('announces a failing delivery with the second failure, if the first one is five minutes ago', async () => {
  await push(1);
  await failTimes(1);
  await drained
    .db('webhook_endpoints')
    .where({ directory_id: drained.directoryId })
    .update({ first_failure_at: new Date(Date.now() - 301_000) });
  await failTimes(1);
  expect(await announced()).toEqual(['dsync.delivery.failing']);
});

it('announces a recovery that its process left, once, though two sweeps run at the same time', async () => {
  await push(1);
  await failTimes(3);
  drained.respond = () => 200;
  // The process ends after the success is recorded.
  const dies = new Error('killed');
  await expect(drainNow({ store: { ...drained.store, announceRecovery: () => Promise.reject(dies) } })).rejects.toBe(dies);
  expect(await announced()).toEqual(['dsync.delivery.failing']);
  const sweep = createAnnounceRecovered(drained.db, drained.store.announceRecovery);
  const counts = await Promise.all([sweep(100), sweep(100), drained.store.announceRecovery(drained.directoryId)]);
  expect(counts.map(Number).reduce((sum, count) => sum + count, 0)).toBe(1);
  expect([await announced(), await sweep(100)]).toEqual([['dsync.delivery.failing', 'dsync.delivery.recovered'], 0]);
});

it('announces no recovery while nothing was acknowledged, and none twice', async () => {
  await push(2);
  await failTimes(3);
  const sweep = createAnnounceRecovered(drained.db, drained.store.announceRecovery);
  // As a resume or a corrected address does.
  await drained.db('webhook_endpoints').where({ directory_id: drained.directoryId }).update({ first_failure_at: null });
  expect(await sweep(100)).toBe(0);
  drained.respond = () => 200;
  await drainNow();
  expect([await announced(), await sweep(100)]).toEqual([['dsync.delivery.failing', 'dsync.delivery.recovered'], 0]);
  await push(1);
  await drain();
  expect(await announced()).toHaveLength(2);
});

it('announces a stale directory once per episode, though two sweeps run at the same time', async () => {
  const { db, directoryId: id } = drained;
  await db('directories').whereNot({ id }).delete();
  const lastPush = (at: Date) => db('directory_pushes').insert({ directory_id: id, last_push_at: at }).onConflict('directory_id').merge();
  const [at, hour] = [new Date(Date.now() - 7_200_000), 3_600_000];
  await lastPush(at);
  const sweep = createAnnounceStale(db, emitOperatorEvent, hour);
  const counts = await Promise.all([sweep(100), sweep(100), sweep(100)]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
  const [body] = await db('operator_events').pluck<string[]>('body');
  expect(JSON.parse(body!)).toMatchObject({ event: 'dsync.directory.stale', data: { id, last_activity_at: at.toISOString() } });
  // A pause hides that it is stale, and does not end the episode.
  await db('webhook_endpoints').where({ directory_id: id }).update({ status: 'paused' });
  await sweep(100);
  await db('webhook_endpoints').where({ directory_id: id }).update({ status: 'active' });
  expect(await sweep(100)).toBe(0);
  await lastPush(new Date());
  expect(await sweep(100)).toBe(0);
  await lastPush(at);
  expect(await sweep(100)).toBe(1);
});
