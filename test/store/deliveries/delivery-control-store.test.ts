import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import { freezeDelivery } from '../../../src/directory/delivery/freeze-delivery.ts';
import type { DeliveryControlStore } from '../../../src/directory/delivery/delivery-control.ts';
import type { DeliveryStore, DueDelivery, SendResult } from '../../../src/directory/delivery/ports.ts';
import type { ReplayStore } from '../../../src/directory/delivery/replays.ts';
import { newId } from '../../../src/ids.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { createDeliveryStore } from '../../../src/store/deliveries/delivery-store.ts';
import { createDeliveryControlStore } from '../../../src/store/deliveries/delivery-control-store.ts';
import { createReplayStore } from '../../../src/store/deliveries/replay-store.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { createSecretColumns } from '../../../src/store/encryption/secret-columns.ts';
import { cloneDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';
import { holder } from '../../support/drain.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let deliveries: DeliveryStore;
let control: DeliveryControlStore;
let replays: ReplayStore;
let directoryId: string;
beforeAll(async () => {
  database = await cloneDatabase();
  const { db } = database;
  const deps = {
    db,
    secretColumns: createSecretColumns(createKeyring([randomBytes(32)])),
    emitOperatorEvent: createEmitOperatorEvent({ isHeard: true }),
  };
  deliveries = createDeliveryStore({ ...deps, inBatches: false });
  control = createDeliveryControlStore(deps);
  replays = createReplayStore(unlimitedReads(db));
});
afterAll(() => database.drop());
beforeEach(async () => {
  directoryId = newId();
  await database.db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId, url: 'http://127.0.0.1:1/' });
});

const acknowledged: SendResult = { outcome: 'success', statusCode: 200, details: { requestHeaders: {}, timings: { totalMs: 1 } } };
const push = (userName: string) =>
  applyInTransaction(createChangeStore(database.db), directoryId, [
    { kind: 'createUser', id: newId(), directoryId, resourceId: newId(), resource: { userName } },
  ]);

const untilLockIsAwaited = () =>
  until(async () => {
    const { rows } = await database.db.raw<{ rows: unknown[] }>(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });

/** Delivers like the delivery workflow, until it is stopped or has delivered everything. */
async function deliver(): Promise<number[]> {
  const delivered: number[] = [];
  const lane = await deliveries.takeLane(directoryId, holder);
  if (typeof lane === 'string' || 'retryInMs' in lane) return delivered;
  let { head, ackedSequence } = lane;
  for (;;) {
    const range = { after: ackedSequence, upTo: 1_000_000, limit: 1, maxBytes: 1_000_000 };
    const events = head ? [] : (await deliveries.readEvents(directoryId, range)).events;
    if (!head && events.length === 0) return delivered;
    const next = head ? { open: head as DueDelivery } : { freeze: freezeDelivery(lane, events, { asArray: false, maxEvents: 1 }) };
    const begun = await deliveries.concludeAndBeginAttempt(lane.lane, next);
    if (typeof begun === 'string' || !begun.attempt) return delivered;
    const ended = await deliveries.concludeAndBeginAttempt(lane.lane, {
      delivered: { attempt: begun.attempt, result: acknowledged, batchLimit: undefined },
    });
    if (ended === 'superseded') return delivered;
    ackedSequence = begun.attempt.delivery.toSequence;
    delivered.push(ackedSequence);
    head = undefined;
    if (ended === 'inactive') return delivered;
  }
}

it('skips or delivers each event exactly once while others write, deliver and resume', async () => {
  const delivered: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const drains = [deliver(), deliver()];
    await Promise.all([push(`a${round}`), push(`b${round}`), control.pause(directoryId), push(`c${round}`)]);
    drains.push(deliver());
    const responses = await Promise.all([
      control.resume(directoryId, 'now'),
      push(`d${round}`),
      control.resume(directoryId, 'now'),
      push(`e${round}`),
    ]);
    expect([responses[0], responses[2]].toSorted()).toEqual(['active', 'resumed']);
    drains.push(deliver());
    delivered.push(...(await Promise.all(drains)).flat());
  }
  delivered.push(...(await deliver()));
  const skipped = await database
    .db('webhook_batches')
    .where({ directory_id: directoryId, status: 'skipped' })
    .select<{ from_sequence: number; to_sequence: number }[]>('from_sequence', 'to_sequence');
  const passedOver = skipped.flatMap(({ from_sequence: from, to_sequence: to }) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index),
  );
  expect([...delivered, ...passedOver].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  expect(await database.db('webhook_endpoints').where({ directory_id: directoryId }).first()).toMatchObject({ acked_sequence: 100 });
});

it('waits for a writer, and skips its events', async () => {
  await control.pause(directoryId);
  const writer = await database.db.transaction();
  await writer('directories').where({ id: directoryId }).update({ last_sequence: 7 });
  const resuming = control.resume(directoryId, 'now');
  await untilLockIsAwaited();
  await writer('webhook_endpoints').where({ directory_id: directoryId }).forUpdate().first('id');
  await writer.commit();
  expect(await resuming).toBe('resumed');
  expect(await control.state(directoryId)).toMatchObject({ ackedSequence: 7, lastSequence: 7 });
});

it('freezes nothing for a replay that is canceled while the lane waits for its lock', async () => {
  await push('a');
  await deliver();
  await database.db('directories').where({ id: directoryId }).update({ log_webhook_events: true });
  const id = newId();
  await replays.create({ id, directoryId, mode: 'range', ranges: [[1, 1]], total: 1 });
  const lane = await deliveries.takeLane(directoryId, holder);
  if (typeof lane === 'string' || 'retryInMs' in lane) throw new Error('There is a lane.');
  const { events } = await deliveries.readEvents(directoryId, { after: 0, upTo: 1, limit: 1, maxBytes: 1_000_000 });
  const canceling = await database.db.transaction();
  await canceling('webhook_endpoints').where({ directory_id: directoryId }).forUpdate().first('id');
  await canceling('webhook_replays').where({ directory_id: directoryId, id }).update({ status: 'canceled' });
  const turning = deliveries.concludeAndBeginAttempt(lane.lane, {
    freeze: freezeDelivery(lane, events, { asArray: false, maxEvents: 1 }, id),
  });
  await untilLockIsAwaited();
  await canceling.commit();
  expect(await turning).toEqual({ lastSequence: 1 });
  expect(await database.db('webhook_batches').where({ directory_id: directoryId, status: 'pending' })).toEqual([]);
});
