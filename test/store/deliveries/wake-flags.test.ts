import { expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { createApplyTogether } from '../../../src/directory/changes/apply-to-directory.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import type { TakenLane } from '../../../src/directory/delivery/ports.ts';
import { createUnheldLanes } from '../../../src/store/deliveries/unheld-lanes.ts';
import { createWorkerLeaseStore } from '../../../src/store/deliveries/worker-lease-store.ts';
import { holder, setUpDrain } from '../../support/drain.ts';
import { until } from '../../support/until.ts';
import { createLogger } from '../../../src/logger.ts';

const log = createLogger('debug');
const drained = setUpDrain();
const { push, endpoint } = drained;

const takeLane = async () => (await drained.store.takeLane(drained.directoryId, holder)) as TakenLane;
const untilBlocked = () =>
  until(
    async () =>
      (
        await drained.db.raw<{ rows: object[] }>(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).rows.length > 0,
  );

/** Runs the work while another transaction has these rows. */
async function whileLocked<Result>(lock: string, work: (release: () => Promise<void>) => Promise<Result>): Promise<Result> {
  const trx = await drained.db.transaction();
  try {
    await trx.raw(lock, [drained.directoryId]);
    return await work(() => trx.rollback().then(() => undefined));
  } finally {
    if (!trx.isCompleted()) await trx.rollback();
  }
}

const directoryRow = 'select from all_directories where id = ? for update';
const attemptInProgress = 'update webhook_endpoints set last_success_at = now() where directory_id = ?';

it('knows whether another worker has the lane', async () => {
  const lanes = createUnheldLanes(drained.db, { inBatches: false });
  const leases = createWorkerLeaseStore(drained.db);
  const isHeld = () => lanes.isHeldElsewhere(drained.directoryId, newId());
  await takeLane();
  expect(await isHeld()).toBe(false);
  await leases.renewLease(holder.workerId, 60_000);
  expect(await isHeld()).toBe(true);
  expect(await lanes.isHeldElsewhere(drained.directoryId, holder.workerId)).toBe(false);
  // A process of the release before has taken the lane since, and names no worker.
  await drained.db('webhook_endpoints').where({ directory_id: drained.directoryId }).increment('epoch', 1);
  expect(await isHeld()).toBe(false);
});

const lowering: [who: string, lower: (taken: TakenLane) => Promise<unknown>][] = [
  ['takes the lane', takeLane],
  ['stops its watch', ({ lane }) => drained.store.stopWatching(lane)],
];

it.each(lowering)('wakes the delivery with a change whose statement began before a drain %s', async (_, lower) => {
  const taken = await takeLane();
  await drained.store.goIdle(taken.lane, { keepWatch: true, usedSecretIds: [] });
  expect(await endpoint()).toMatchObject({ wake: true });
  const pushed = await whileLocked(directoryRow, async (release) => {
    const pushing = push(1);
    await untilBlocked();
    await lower(taken);
    await release();
    return pushing;
  });
  expect(pushed.wake).toBe(true);
});

it.each(lowering)('lets a drain that %s wait for a change that has read the wake flag', async (_, lower) => {
  const taken = await takeLane();
  await drained.store.goIdle(taken.lane, { keepWatch: true, usedSecretIds: [] });
  await whileLocked('select wake from webhook_endpoints where directory_id = ? for key share', async (release) => {
    const waiting = lower(taken);
    await untilBlocked();
    expect(await endpoint()).toMatchObject({ wake: true });
    await release();
    await waiting;
  });
  expect(await endpoint()).toMatchObject({ wake: false });
});

const toMutation = (directoryId: string) => {
  const resourceId = newId();
  return { kind: 'createUser', id: newId(), directoryId, resourceId, resource: { userName: resourceId } } as const;
};

it('does not let a change wait for an attempt of its directory', async () => {
  const { directoryId } = drained;
  const { lane } = await takeLane();
  await drained.store.goIdle(lane, { keepWatch: true, usedSecretIds: [] });
  const together = createApplyTogether({ changes: createChangeStore(drained.db), onQuotaReached: () => undefined, log });
  const applied = await whileLocked(attemptInProgress, () => together(new Map([[directoryId, [toMutation(directoryId)]]])));
  expect([...applied.keys()]).toEqual([directoryId]);
  expect(await whileLocked(attemptInProgress, () => push(1))).toMatchObject({ wake: false });
});
