import { expect, it } from '@jest/globals';
import { createDeliveryLaneStarts } from '../../../src/directory/delivery/delivery-lane-starts.ts';
import type { DeliveryStore, SequenceWatch, TakenLane } from '../../../src/directory/delivery/ports.ts';
import { createSequenceWatch } from '../../../src/store/deliveries/sequence-watch.ts';
import { holder, setUpDrain } from '../../support/drain.ts';
import { until } from '../../support/until.ts';

const drained = setUpDrain();
const { push, drain, drainNow, sequences, endpoint } = drained;

const starts = async () => (await endpoint()).starts as number;
const unavailable = () => Promise.reject(new Error('Postgres is away.'));
const nothing = () => new Promise<never>(() => undefined);

/** A drain whose process crashes during its first request. */
async function dieSending(): Promise<void> {
  const before = drained.sent.length;
  drained.respond = nothing;
  void drain();
  await until(() => drained.sent.length > before);
  drained.respond = () => 200;
}

it('counts a start before anything is sent, and none after a success, a failure or an orderly stop', async () => {
  await push(3);
  const counted: number[] = [];
  drained.respond = async () => {
    counted.push(await starts());
    return 200;
  };
  expect(await drain()).toEqual({ kind: 'drained' });
  expect([counted, await starts()]).toEqual([[1, 1, 1], 0]);

  await push(1);
  drained.respond = () => 500;
  expect(await drain()).toMatchObject({ kind: 'retry' });
  expect(await starts()).toBe(0);

  const stopping = new AbortController();
  drained.respond = () => {
    stopping.abort();
    return { outcome: 'aborted' };
  };
  await drained
    .db('webhook_batches')
    .where({ directory_id: drained.directoryId })
    .update({ next_attempt_at: new Date(0) });
  expect(await drain({}, { signal: stopping.signal })).toMatchObject({ kind: 'retry' });
  expect(await starts()).toBe(0);
});

it('counts events that arrive while it watches, before they are sent', async () => {
  await push(1);
  const counted: number[] = [];
  drained.respond = async () => {
    counted.push(await starts());
    return 200;
  };
  const watch = createSequenceWatch(drained.db);
  let looks = 0;
  const pushing: SequenceWatch = {
    ...watch,
    async waitFor(...args) {
      const waiting = watch.waitFor(...args);
      if ((looks += 1) === 1) await push(1);
      return waiting;
    },
  };
  expect(await drain({ watch: pushing, lingerMs: 1_500 })).toEqual({ kind: 'drained' });
  expect([sequences(), counted, await starts()]).toEqual([[[1], [2]], [1, 1], 0]);
});

it('disables a delivery after four crashes in a row, keeps its events, and delivers them once it is resumed', async () => {
  await push(2);
  for (let deaths = 1; deaths <= 4; deaths += 1) {
    await dieSending();
    expect(await starts()).toBe(deaths);
  }
  const reasons: string[] = [];
  expect(await drain({ onDisabled: (reason) => reasons.push(reason) })).toEqual({ kind: 'inactive' });
  expect(drained.sent).toHaveLength(4);
  expect(reasons).toEqual([expect.stringContaining('each of the last 4 times that it began this delivery')]);
  expect(await endpoint()).toMatchObject({ status: 'disabled', status_reason: reasons[0], acked_sequence: 0, starts: 0 });
  const operatorEvents = await drained.db('operator_events').where('body', 'like', `%${drained.directoryId}%`).pluck<string[]>('body');
  expect(operatorEvents.map((body) => JSON.parse(body) as object)).toMatchObject([
    { event: 'dsync.delivery.disabled', data: { reason: reasons[0] } },
    { event: 'dsync.webhook_disabled', data: { reason: reasons[0] } },
  ]);

  await drained.db('webhook_endpoints').where({ directory_id: drained.directoryId }).update({ status: 'active' });
  expect(await drainNow()).toEqual({ kind: 'drained' });
  expect(sequences().slice(4)).toEqual([[1], [2]]);
});

it('resets the count with each response: crashes between responses disable nothing', async () => {
  await push(10);
  for (let times = 0; times < 6; times += 1) {
    await dieSending();
    const sent = drained.sent.length;
    // One more event is acknowledged, and the process crashes during the next attempt.
    drained.respond = (_, count) => (count > sent + 1 ? nothing() : 200);
    void drain();
    await until(() => drained.sent.length > sent + 1);
    expect(await starts()).toBe(1);
    drained.respond = () => 200;
  }
  expect(await drain()).toEqual({ kind: 'drained' });
  expect((await endpoint()).status).toBe('active');
});

it('takes a start back when Postgres fails, immediately or before the lane is taken again', async () => {
  await push(1);
  expect(await starts()).toBe(0);
  await expect(drain({ store: { ...drained.store, concludeAndBeginAttempt: unavailable } })).rejects.toThrow('away');
  expect(await starts()).toBe(0);

  let isDown = true;
  const deliveryLaneStarts = createDeliveryLaneStarts({
    ...drained.store,
    uncountStarts: (ids) => (isDown ? unavailable() : drained.store.uncountStarts(ids)),
  });
  for (let times = 0; times < 2; times += 1) {
    isDown = true;
    await expect(drain({ deliveryLaneStarts, store: { ...drained.store, concludeAndBeginAttempt: unavailable } })).rejects.toThrow('away');
    expect(await starts()).toBe(1);
    isDown = false;
  }
  expect(await drain({ deliveryLaneStarts })).toEqual({ kind: 'drained' });
  expect(await starts()).toBe(0);
});

it('takes back open starts when the process stops', async () => {
  await push(1);
  const deliveryLaneStarts = createDeliveryLaneStarts(drained.store);
  drained.respond = nothing;
  void drain({ deliveryLaneStarts });
  await until(() => drained.sent.length > 0);
  expect(await starts()).toBe(1);
  await deliveryLaneStarts.forgiveOpen();
  expect(await starts()).toBe(0);
});

const suspect = (name: string, epoch = 1): TakenLane => ({
  lane: { directoryId: name, endpointId: name, epoch },
  directory: { id: name, tenant: 't', product: 'p' },
  ackedSequence: 0,
  lastSequence: 1,
  batchLimit: undefined,
  suspectUntil: 0,
  head: undefined,
  crashes: 2,
  isStartCounted: false,
});

it('begins lanes with several crashes one at a time, the next one after a conclusion', async () => {
  const counted: string[] = [];
  const store: Pick<DeliveryStore, 'takeLane' | 'countStart' | 'uncountStarts'> = {
    takeLane: () => Promise.resolve('gone'),
    countStart: ({ directoryId, epoch }) => {
      counted.push(directoryId);
      return Promise.resolve(epoch === 1);
    },
    uncountStarts: () => Promise.resolve(),
  };
  const deliveryLaneStarts = createDeliveryLaneStarts(store);
  const { signal } = new AbortController();
  const begun = new Map<string, () => void>();
  const begin = (name: string, epoch?: number, stop = signal) =>
    deliveryLaneStarts.begin(suspect(name, epoch), stop, (onConcluded) => {
      begun.set(name, onConcluded);
      return nothing();
    });
  void begin('a');
  void begin('b');
  const superseded = begin('superseded', 0);
  const stopping = new AbortController();
  const stopped = begin('stopped', 1, stopping.signal);
  void begin('c');
  await until(() => begun.has('a'));
  stopping.abort();
  expect(await stopped).toBeUndefined();
  expect([...begun.keys()]).toEqual(['a']);
  begun.get('a')!();
  await until(() => begun.has('b'));
  expect(counted).toEqual(['a', 'b']);
  // b has no conclusion: the next one begins after a timeout.
  await until(() => begun.has('c'));
  expect(await superseded).toBeUndefined();
  expect(counted).toEqual(['a', 'b', 'superseded', 'c']);
});

it('takes back the start of a drain that was superseded during an attempt or before it was idle', async () => {
  await push(1);
  const responses: ((status: number) => void)[] = [];
  drained.respond = () => new Promise((resolve) => responses.push(resolve));
  const [first, second] = [drain(), until(() => responses.length === 1).then(() => drain())];
  await until(() => responses.length === 2);
  expect(await starts()).toBe(2);
  responses[0]!(200);
  expect(await first).toEqual({ kind: 'more' });
  expect(await starts()).toBe(1);
  responses[1]!(200);
  expect([await second, await starts()]).toEqual([{ kind: 'drained' }, 0]);

  const goIdle: DeliveryStore['goIdle'] = async (...given) => {
    // Its process is still running when the next drain takes the lane.
    await drained.store.takeLane(drained.directoryId, holder);
    return drained.store.goIdle(...given);
  };
  expect(await drain({ store: { ...drained.store, goIdle } })).toEqual({ kind: 'more' });
  expect(await starts()).toBe(1);
});

it('keeps the start of the next owner when a drain was superseded while it was idle', async () => {
  await push(1);
  const watch = createSequenceWatch(drained.db);
  const superseding: SequenceWatch = {
    ...watch,
    async waitFor(...args) {
      await push(1);
      await drained.store.takeLane(drained.directoryId, holder);
      return watch.waitFor(...args);
    },
  };
  expect(await drain({ watch: superseding, lingerMs: 1_500 })).toEqual({ kind: 'more' });
  expect([sequences(), await starts()]).toEqual([[[1]], 1]);
});

it('keeps the start of the next owner when a drain ends that was superseded during its attempt', async () => {
  await push(2);
  const responses: ((status: number) => void)[] = [];
  drained.respond = () => new Promise((resolve) => responses.push(resolve));
  const first = drain();
  await until(() => responses.length === 1);
  const second = drain();
  await until(() => responses.length === 2);
  // The second drain has concluded an attempt, and its next one is the only start that is counted.
  responses[1]!(200);
  await until(() => responses.length === 3);
  expect(await starts()).toBe(1);
  responses[0]!(200);
  expect([await first, await starts()]).toEqual([{ kind: 'more' }, 1]);
  responses[2]!(200);
  expect([await second, await starts()]).toEqual([{ kind: 'drained' }, 0]);
});

it('takes back the open starts of all owners of a lane in this process', async () => {
  await push(1);
  const deliveryLaneStarts = createDeliveryLaneStarts(drained.store);
  drained.respond = nothing;
  for (let sent = 1; sent <= 2; sent += 1) {
    void drain({ deliveryLaneStarts });
    await until(() => drained.sent.length === sent);
  }
  expect(await starts()).toBe(2);
  await deliveryLaneStarts.forgiveOpen();
  expect(await starts()).toBe(0);
});

it('takes back the start of an attempt that did not begin because the address had changed', async () => {
  await push(1);
  const watch = createSequenceWatch(drained.db);
  let turns = 0;
  const store: DeliveryStore = {
    ...drained.store,
    async concludeAndBeginAttempt(...given) {
      const begun = await drained.store.concludeAndBeginAttempt(...given);
      // The second turn concludes the first attempt, the third one begins another.
      return (turns += 1) === 3 ? 'outdated' : begun;
    },
  };
  const pushing: SequenceWatch = {
    ...watch,
    async waitFor(...args) {
      await push(1);
      return watch.waitFor(...args);
    },
  };
  expect(await drain({ store, watch: pushing, lingerMs: 1_500 })).toEqual({ kind: 'more' });
  expect([sequences(), await starts()]).toEqual([[[1]], 0]);
});

it('does not count earlier drains of the same process as crashes', async () => {
  await push(1);
  const deliveryLaneStarts = createDeliveryLaneStarts(drained.store);
  drained.respond = nothing;
  for (let sent = 1; sent <= 4; sent += 1) {
    void drain({ deliveryLaneStarts });
    await until(() => drained.sent.length === sent);
  }
  drained.respond = () => 200;
  expect(await drain({ deliveryLaneStarts })).toEqual({ kind: 'drained' });
  expect(await endpoint()).toMatchObject({ status: 'active' });
});
