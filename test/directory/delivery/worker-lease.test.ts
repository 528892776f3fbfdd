import { afterEach, expect, it } from '@jest/globals';
import type { AbandonedLane, TakenLane, WorkerLeaseStore } from '../../../src/directory/delivery/ports.ts';
import { restartStalled } from '../../../src/directory/delivery/restart-stalled.ts';
import { createWorkerLease, type WorkerLease, type WorkerLeaseDeps } from '../../../src/directory/delivery/worker-lease.ts';
import { newId } from '../../../src/ids.ts';
import { createLogger } from '../../../src/logger.ts';
import { createWorkerLeaseStore } from '../../../src/store/deliveries/worker-lease-store.ts';
import { setUpDrain } from '../../support/drain.ts';
import { until } from '../../support/until.ts';

const drained = setUpDrain();
const { push, drain, endpoint } = drained;

let leases: WorkerLease[] = [];
afterEach(async () => {
  await Promise.all(leases.map((lease) => lease.stop()));
  leases = [];
  await drained.db('delivery_workers').delete();
});

function createLease(deps: Partial<WorkerLeaseDeps> = {}) {
  const store = createWorkerLeaseStore(drained.db);
  const log = createLogger('silent');
  const restarts: Pick<WorkerLeaseDeps, 'restartDrain' | 'restartSilent'> = {
    restartDrain: () => Promise.resolve('restarted'),
    restartSilent: () => Promise.resolve(0),
  };
  const lease = createWorkerLease({ store, log, renewEveryMs: 50, ...restarts, ...deps });
  leases.push(lease);
  return lease;
}

/** As if the lane had been taken, or found, more than two seconds ago. */
const makeDue = () =>
  drained
    .db('webhook_endpoints')
    .where({ directory_id: drained.directoryId })
    .update({ wake_at: new Date(0) });

/** A lane of a worker whose lease has expired. It was taken more than two seconds ago. */
async function abandonLane(activityId = '7') {
  const { db, directoryId } = drained;
  const workerId = newId();
  const { lane } = (await drained.store.takeLane(directoryId, { workerId, activityId })) as TakenLane;
  await makeDue();
  await db('delivery_workers').insert({ id: workerId, expires_at: new Date(0) });
  return { lane, workerId };
}

const ofThisDirectory = (lanes: AbandonedLane[]) => lanes.filter(({ directoryId }) => directoryId === drained.directoryId);

it('restarts the drain of a worker whose lease has expired, once, even if two workers notice it', async () => {
  const { lane } = await abandonLane('12');
  const restarted: AbandonedLane[] = [];
  let firstAtMs: number | undefined;
  const restartDrain = async (abandoned: AbandonedLane) => {
    if (ofThisDirectory([abandoned]).length > 0) firstAtMs ??= performance.now();
    restarted.push(abandoned);
    return Promise.resolve('restarted' as const);
  };
  const [first, second] = [createLease({ restartDrain }), createLease({ restartDrain })];
  for (const lease of [first, second]) lease.start();
  await until(() => ofThisDirectory(restarted).length > 0);
  const renewed = () => drained.db('delivery_workers').whereIn('id', [first.workerId, second.workerId]).pluck<Date[]>('expires_at');
  const [before] = await renewed();
  await until(async () => (await renewed()).every((at) => at.getTime() > before!.getTime() + 200));
  // Nobody takes the lane, so it is restarted again two seconds later.
  const mostRestarts = 1 + Math.floor((performance.now() - firstAtMs! + 1_000) / 2_000);
  expect(ofThisDirectory(restarted)[0]).toEqual({ ...lane, activityId: '12' });
  expect(ofThisDirectory(restarted).length).toBeLessThanOrEqual(mostRestarts);
});

it('waits at the start for a database that is busy, and gives up after 30 s', async () => {
  const store = createWorkerLeaseStore(drained.db);
  let failures = 2;
  const busy: WorkerLeaseStore = {
    ...store,
    renewLease: (...args) => (failures-- > 0 ? Promise.reject(new Error('no response')) : store.renewLease(...args)),
  };
  const lease = createLease({ store: busy });
  await lease.holdAtStart();
  expect(failures).toBe(-1);
  expect(await drained.db('delivery_workers').where({ id: lease.workerId })).toHaveLength(1);

  let nowMs = 0;
  const away: WorkerLeaseStore = { ...store, renewLease: () => Promise.reject(new Error(`no response at ${(nowMs += 10_000)}`)) };
  await expect(createLease({ store: away, now: () => nowMs }).holdAtStart()).rejects.toThrow('no response at 30000');
});

it('restarts the drain again if nobody has taken the lane two seconds later', async () => {
  await abandonLane();
  const restarted: AbandonedLane[] = [];
  createLease({ restartDrain: (lane) => Promise.resolve(restarted.push(lane)).then(() => 'restarted') }).start();
  await until(() => ofThisDirectory(restarted).length >= 2);
});

it('restarts the drain at once even if its delivery was found silent just before the lease expired', async () => {
  const { db, directoryId } = drained;
  const { lane, workerId } = await abandonLane();
  const store = createWorkerLeaseStore(db);
  await db('webhook_endpoints')
    .where({ directory_id: directoryId })
    .update({ wake_at: db.raw("clock_timestamp() - interval '1 second'") });
  await db('delivery_workers')
    .where({ id: workerId })
    .update({ expires_at: db.raw("clock_timestamp() - interval '500 milliseconds'") });
  expect(await store.claimAbandoned([workerId], 10)).toEqual([{ ...lane, activityId: '7' }]);
  expect(await store.claimAbandoned([workerId], 10)).toEqual([]);
});

it('leaves the lanes to a worker that has renewed its lease meanwhile', async () => {
  const { lane, workerId } = await abandonLane();
  const store = createWorkerLeaseStore(drained.db);
  await store.renewLease(workerId, 3_000);
  expect(await store.claimAbandoned([workerId], 10)).toEqual([]);
  await drained
    .db('delivery_workers')
    .where({ id: workerId })
    .update({ expires_at: new Date(0) });
  expect(await store.claimAbandoned([workerId], 10)).toEqual([{ ...lane, activityId: '7' }]);
});

it('restarts a delivery that a worker received but had not begun when it died', async () => {
  const { db, directoryId, store } = drained;
  await push(1);
  await db('webhook_endpoints').where({ directory_id: directoryId }).update({ wake: true });
  await makeDue();
  await db('delivery_workers').insert({ id: newId(), expires_at: new Date(Date.now() - 5_000) });
  const restarted: string[] = [];
  const deps = {
    deliveries: store,
    restartLostDrain: (id: string) => Promise.resolve(void restarted.push(`restarted ${id}`)),
    wakeDelivery: (id: string) => Promise.resolve(void restarted.push(`woken ${id}`)),
  };
  createLease({ restartSilent: (silentMs) => restartStalled(deps, silentMs) }).start();
  await until(() => restarted.includes(`woken ${directoryId}`));
  expect(restarted.filter((text) => text.includes(directoryId))).toEqual([`restarted ${directoryId}`, `woken ${directoryId}`]);
  expect(await drain()).toEqual({ kind: 'drained' });
});

it('releases the lane of a drain that had ended', async () => {
  await abandonLane();
  createLease({ restartDrain: () => Promise.resolve('ended') }).start();
  await until(async () => (await endpoint()).worker_id === null);
});

it('does not restart the drain of a worker that renews its lease, nor one that has ended', async () => {
  const restarted: AbandonedLane[] = [];
  const restartDrain = (lane: AbandonedLane) => Promise.resolve(restarted.push(lane)).then(() => 'restarted' as const);
  const [alive, other] = [createLease({ restartDrain, leaseMs: 5_000 }), createLease({ restartDrain, leaseMs: 5_000 })];
  for (const lease of [alive, other]) lease.start();
  await push(1);
  drained.respond = async () => {
    const { worker_id: worker } = await endpoint();
    expect(worker).toBe(alive.workerId);
    await drained
      .db('webhook_endpoints')
      .where({ directory_id: drained.directoryId })
      .update({ wake_at: new Date(0) });
    const startedAtMs = performance.now();
    await until(() => performance.now() > startedAtMs + 6_000);
    return 200;
  };
  expect(await drain({ lease: alive })).toEqual({ kind: 'drained' });
  await until(async () => (await endpoint()).worker_id === null);
  expect(ofThisDirectory(restarted)).toEqual([]);
});

it('judges no other worker until it has held its own lease for a while, because an outage ends all leases', async () => {
  await abandonLane();
  let nowMs = 10_000;
  const restarted: AbandonedLane[] = [];
  const restartDrain = (lane: AbandonedLane) => Promise.resolve(restarted.push(lane)).then(() => 'restarted' as const);
  const lease = createLease({ restartDrain, now: () => nowMs });
  lease.start();
  const expiresAt = () =>
    drained.db('delivery_workers').where({ id: lease.workerId }).first<{ expires_at: Date } | undefined>('expires_at');
  const first = await until(expiresAt);
  await until(async () => (await expiresAt())!.expires_at.getTime() > first.expires_at.getTime() + 500);
  expect(ofThisDirectory(restarted)).toEqual([]);
  nowMs += 1_500;
  await until(() => ofThisDirectory(restarted).length >= 1);
});

it('reports that the lease lapsed, even after it was renewed', async () => {
  let nowMs = 10_000;
  const lease = createLease({ now: () => nowMs });
  const hasLapsed = await lease.hold();
  nowMs += 2_999;
  expect(hasLapsed()).toBe(false);
  nowMs += 1;
  expect(hasLapsed()).toBe(true);
  const again = await lease.hold();
  expect([hasLapsed(), again()]).toEqual([true, false]);
});

it('sends nothing more after its lease has lapsed, and the next drain continues', async () => {
  await push(3);
  let nowMs = 10_000;
  const lease = createLease({ now: () => nowMs });
  drained.respond = (_sequences, count) => {
    if (count === 2) nowMs += 3_000;
    return 200;
  };
  expect(await drain({ lease })).toEqual({ kind: 'more' });
  expect(drained.sequences()).toEqual([[1], [2]]);
  expect(await drain({ lease })).toEqual({ kind: 'drained' });
  expect(drained.sequences()).toEqual([[1], [2], [3]]);
});

it('leaves a lane to the worker that took it since then', async () => {
  const { lane } = await abandonLane();
  const later = { workerId: newId(), activityId: '8' };
  await drained.store.takeLane(drained.directoryId, later);
  const lease = createLease();
  lease.release(lane);
  await lease.stop();
  expect(await endpoint()).toMatchObject({ worker_id: later.workerId, activity_id: '8' });
});

it('waits for no lock on an endpoint, neither to release nor to find abandoned lanes', async () => {
  const { lane, workerId } = await abandonLane();
  const store = createWorkerLeaseStore(drained.db);
  const holder = await drained.db.transaction();
  await holder('webhook_endpoints').where({ directory_id: drained.directoryId }).forUpdate().first();
  expect(await store.releaseLanes([lane])).toEqual([lane]);
  expect(await store.claimAbandoned([workerId], 10)).toEqual([]);
  await holder.rollback();
  expect(await store.claimAbandoned([workerId], 10)).toEqual([{ ...lane, activityId: '7' }]);
  expect(await store.releaseLanes([lane])).toEqual([]);
});

it('releases a lane later if it is locked or Postgres is away, and before it stops', async () => {
  const { lane } = await abandonLane();
  const store = createWorkerLeaseStore(drained.db);
  let calls = 0;
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const slow: WorkerLeaseStore = {
    ...store,
    async releaseLanes(lanes) {
      calls += 1;
      if (calls === 1) throw new Error('Postgres is away');
      if (calls === 2) return lanes;
      await released;
      return store.releaseLanes(lanes);
    },
  };
  const lease = createLease({ store: slow });
  lease.release(lane);
  lease.start();
  await until(() => calls === 3);
  const stopping = lease.stop();
  release();
  await stopping;
  expect(await endpoint()).toMatchObject({ worker_id: null, worker_epoch: null, activity_id: null });
});

it('releases a lane whose epoch was raised because events were skipped', async () => {
  const { lane } = await abandonLane();
  await drained.db('webhook_endpoints').where({ directory_id: drained.directoryId }).increment('epoch');
  const lease = createLease();
  lease.release(lane);
  await lease.stop();
  expect((await endpoint()).worker_id).toBeNull();
});

it('leaves a lane to a process of the release before, which raises only the epoch, and forgets the dead worker', async () => {
  const { workerId } = await abandonLane();
  await drained.db('webhook_endpoints').where({ directory_id: drained.directoryId }).increment('epoch');
  const store = createWorkerLeaseStore(drained.db);
  expect(await store.claimAbandoned([workerId], 10)).toEqual([]);
  await store.forgetWorkers([workerId]);
  expect(await drained.db('delivery_workers').where({ id: workerId })).toEqual([]);
});

it('logs once per outage that it could not restart the deliveries of a dead worker', async () => {
  const lines: string[] = [];
  const log = createLogger('warn', { write: (line) => void lines.push(line) });
  const calls: AbandonedLane[] = [];
  let isAway = true;
  const restartDrain = async (lane: AbandonedLane) => {
    calls.push(lane);
    if (isAway) throw new Error('Temporal is away');
    return Promise.resolve('restarted' as const);
  };
  await abandonLane();
  createLease({ restartDrain, log }).start();
  const untilCalled = (times: number) => until(async () => calls.length >= times || (await makeDue(), false), { everyMs: 20 });
  await untilCalled(3);
  isAway = false;
  await untilCalled(4);
  await until(() => lines.some((line) => line.includes('restarted deliveries')));
  expect(lines.filter((line) => line.includes('could not restart'))).toHaveLength(1);
});

it('keeps a dead worker while it has lanes, and forgets it afterwards', async () => {
  const { lane, workerId } = await abandonLane();
  const store = createWorkerLeaseStore(drained.db);
  const isKnown = async () => (await drained.db('delivery_workers').where({ id: workerId }).first()) !== undefined;
  await store.forgetWorkers([workerId]);
  expect(await isKnown()).toBe(true);
  await store.releaseLanes([lane]);
  await store.forgetWorkers([workerId]);
  expect(await isKnown()).toBe(false);
});
