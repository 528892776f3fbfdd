import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { drainDeliveries } from '../../src/directory/delivery/drain-deliveries.ts';
import type { HeldMemory, DeliveryMemory, SendRequest, SendResult, SendWebhook } from '../../src/directory/delivery/ports.ts';
import { createDrainSlots } from '../../src/directory/delivery/drain-slots.ts';
import { createDeliveryLaneStarts } from '../../src/directory/delivery/delivery-lane-starts.ts';
import { newId } from '../../src/ids.ts';
import { createKeyring } from '../../src/keyring.ts';
import { createDeliveryStore } from '../../src/store/deliveries/delivery-store.ts';
import { createFairBytes } from '../../src/shared/fair-bytes.ts';
import { createEmitOperatorEvent } from '../../src/store/operator-events/operator-event-store.ts';
import { createSecretColumns } from '../../src/store/encryption/secret-columns.ts';
import { createSequenceWatch } from '../../src/store/deliveries/sequence-watch.ts';
import { cloneDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { lease } from '../support/drain.ts';

const maxBytes = 8_000_000;
const eventBytes = 560_000;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

/** A directory with events that are small on the disk and large in memory. */
async function createDirectory(events: number, bytes = eventBytes): Promise<string> {
  const id = newId();
  const { db } = database;
  await db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2', last_sequence: events });
  await db('webhook_endpoints').insert({ id: newId(), directory_id: id, url: 'http://127.0.0.1:1/' });
  await db.raw(
    `insert into stored_events (directory_id, sequence, id, type, data, bytes, occurred_at)
     select ?, n, gen_random_uuid(), 'user.updated', jsonb_build_object('id', n, 'text', repeat('x', cast(? as integer))), case when n % 2 = 0 then cast(? as integer) end, now()
     from generate_series(1, ?) n`,
    [id, bytes, bytes + 40, events],
  );
  return id;
}

const sendOk: SendWebhook = () =>
  Promise.resolve<SendResult>({ outcome: 'success', statusCode: 200, details: { requestHeaders: {}, timings: { totalMs: 1 } } });

const reject: SendWebhook = () =>
  Promise.resolve<SendResult>({ outcome: 'http_error', statusCode: 500, details: { requestHeaders: {}, timings: { totalMs: 1 } } });

interface Run {
  batchSize?: number;
  send?: SendWebhook;
  signal?: AbortSignal;
}

/** The lanes of one process, and the memory that they share. */
function createLanes() {
  const shared = createFairBytes({ maxBytes });
  const held = { bytes: 0, most: 0 };
  const count = (hold: HeldMemory | undefined, bytes: number): HeldMemory | undefined => {
    let current = 0;
    const set = (to: number) => {
      held.bytes += to - current;
      current = to;
      held.most = Math.max(held.most, held.bytes);
    };
    if (hold) set(bytes);
    return (
      hold && {
        resize(to) {
          set(to);
          hold.resize(to);
        },
        release() {
          set(0);
          hold.release();
        },
      }
    );
  };
  const memory: DeliveryMemory = {
    enter: async (id, bytes, wait) => count(await shared.enter(id, bytes, wait), bytes),
    tryEnter: (id, bytes) => count(shared.tryEnter(id, bytes), bytes),
    isScarce: shared.isScarce,
  };
  const sent = new Map<string, number[]>();
  const sending = { bytes: 0, most: 0 };

  return { held, sent, sending, drain };

  function drain(directoryId: string, { batchSize, send = sendOk, signal = new AbortController().signal }: Run = {}) {
    const sequences: number[] = [];
    sent.set(directoryId, sequences);
    const store = createDeliveryStore({
      db: database.db,
      secretColumns: createSecretColumns(createKeyring([randomBytes(32)])),
      emitOperatorEvent: createEmitOperatorEvent({ isHeard: false }),
      inBatches: batchSize !== undefined,
    });
    const deps = {
      store,
      deliveryLaneStarts: createDeliveryLaneStarts(store),
      memory,
      watch: createSequenceWatch(database.db),
      send: async (request: SendRequest, options: Parameters<SendWebhook>[1]) => {
        sending.bytes += request.body.length;
        sending.most = Math.max(sending.most, sending.bytes);
        const result = await send(request, options);
        sending.bytes -= request.body.length;
        if (result.outcome === 'success')
          sequences.push(...([JSON.parse(request.body)].flat() as { sequence: number }[]).map(({ sequence }) => sequence));
        return result;
      },
      batchSize,
      quietMs: 0,
      lingerMs: 0,
      lease,
      slots: createDrainSlots(1_000),
      retryDelaysMs: [1_000],
    };
    return drainDeliveries(deps, directoryId, { activityId: '1', signal, budgetMs: 60_000, timeoutMs: 15_000 });
  }
}

const print = (text: string) => process.stdout.write(`${text}\n`);

const oneTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

it.each([undefined, 20])(
  'delivers 50 events of 560 KB of repeated text and holds one of them at a time (batches of %s)',
  async (batchSize) => {
    const id = await createDirectory(50);
    const lanes = createLanes();
    expect(await lanes.drain(id, batchSize === undefined ? {} : { batchSize })).toEqual({ kind: 'drained' });
    print(`50 events of 560 KB in one lane: ${(lanes.held.most / 1e6).toFixed(1)} MB held at most`);
    expect(lanes.sent.get(id)).toEqual(oneTo(50));
    // The event and the body of its delivery, and the same amount for reading ahead.
    expect(lanes.held.most).toBeLessThan(2 * (eventBytes + 1_000) + 524_288);
    expect(lanes.held.bytes).toBe(0);
  },
  180_000,
);

it('lets 40 lanes with large events share one limit, and delivers all of them in order', async () => {
  const ids = await Promise.all(Array.from({ length: 40 }, () => createDirectory(4)));
  const lanes = createLanes();
  const drained = await Promise.all(ids.map((id) => lanes.drain(id)));
  print(
    `40 lanes with events of 560 KB: ${(lanes.held.most / 1e6).toFixed(1)} MB held at most, ${(lanes.sending.most / 1e6).toFixed(1)} MB sent at once`,
  );
  expect(drained.map(({ kind }) => kind)).toEqual(ids.map(() => 'drained'));
  expect([...lanes.sent.values()]).toEqual(ids.map(() => oneTo(4)));
  expect(lanes.held.most).toBeLessThanOrEqual(maxBytes);
  expect(lanes.held.bytes).toBe(0);
}, 180_000);

it('counts the bodies of open batches, which are read only when there is room for them', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => createDirectory(1)));
  const failing = createLanes();
  for (const id of ids) expect(await failing.drain(id, { send: reject })).toMatchObject({ kind: 'retry' });
  expect(failing.held.bytes).toBe(0);
  await database
    .db('webhook_batches')
    .whereIn('directory_id', ids)
    .update({ next_attempt_at: new Date(0) });
  const retried = createLanes();
  await Promise.all(ids.map((id) => retried.drain(id)));
  expect([...retried.sent.values()]).toEqual(ids.map(() => [1]));
  expect(retried.held.most).toBeGreaterThan(2 * eventBytes);
  expect(retried.held.most).toBeLessThanOrEqual(maxBytes);
  expect(retried.held.bytes).toBe(0);
}, 180_000);

it('delivers small events immediately while large ones of others use all of the memory, and stops waiting when it is stopped', async () => {
  const large = await Promise.all(Array.from({ length: 12 }, () => createDirectory(2)));
  const small = await createDirectory(100, 500);
  const lanes = createLanes();
  const stopping = new AbortController();
  const receiver = new EventEmitter();
  const responded = once(receiver, 'responding');
  const slow: SendWebhook = async (...sent) => {
    await responded;
    return sendOk(...sent);
  };
  const draining = large.map((id) => lanes.drain(id, { send: slow, signal: stopping.signal }));
  await until(() => lanes.held.bytes > maxBytes - 2 * eventBytes - 1_000);
  expect(await lanes.drain(small)).toEqual({ kind: 'drained' });
  expect(lanes.sent.get(small)).toEqual(oneTo(100));
  stopping.abort();
  // Lanes that wait for memory end immediately, the others with their response.
  await Promise.any(draining);
  receiver.emit('responding');
  expect(new Set((await Promise.all(draining)).map(({ kind }) => kind))).toEqual(new Set(['more']));
  expect(lanes.held.bytes).toBe(0);
}, 180_000);
