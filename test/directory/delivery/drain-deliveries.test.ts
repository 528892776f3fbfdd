import { describe, expect, it } from '@jest/globals';
import { createDrainSlots } from '../../../src/directory/delivery/drain-slots.ts';
import type { DeliveryStore, SequenceWatch } from '../../../src/directory/delivery/ports.ts';
import { createSequenceWatch } from '../../../src/store/deliveries/sequence-watch.ts';
import { setUpDrain } from '../../support/drain.ts';

const drained = setUpDrain();
const { push, drain, drainNow, sequences, endpoint } = drained;

it('sends one event at a time, each as an object', async () => {
  await push(3);
  expect(await drain()).toEqual({ kind: 'drained' });
  expect(sequences()).toEqual([[1], [2], [3]]);
  expect(JSON.parse(drained.sent[0]!.body)).toMatchObject({ event: 'user.created', sequence: 1 });
});

const wakes = async () => (await push(1)).wake;

/** Calls back each time a drain begins to watch, so many times. In the waits with the indexes `pushing`, it pushes, and a slow push is waited for. */
function watchWith(times: number, meanwhile: (watch: SequenceWatch) => Promise<unknown>, pushing: number[] = []): SequenceWatch {
  const watch = createSequenceWatch(drained.db);
  let left = times;
  return {
    ...watch,
    async waitFor(id, after, options) {
      const waiting = watch.waitFor(id, after, pushing.includes(times - left) ? { ...options, timeoutMs: 30_000 } : options);
      if ((left -= 1) >= 0) await meanwhile(watch);
      return waiting;
    },
  };
}

describe('while a directory is in use', () => {
  it('sees changes without a wake, and leaves the wake flag down when it ends', async () => {
    const woken: boolean[] = [];
    await push(1);
    const watch = watchWith(5, async () => woken.push(await wakes()), [0, 1, 2, 3, 4]);
    expect(await drain({ watch, lingerMs: 1_500 })).toEqual({ kind: 'drained' });
    expect(sequences()).toEqual([[1], [2], [3], [4], [5], [6]]);
    expect(woken).toEqual([false, false, false, false, false]);
    expect(await endpoint()).toMatchObject({ wake: false });
    expect(await wakes()).toBe(true);
  });

  it('records a success with the start of the next attempt, if there soon is one', async () => {
    const statements: string[] = [];
    const store: DeliveryStore = {
      ...drained.store,
      concludeAndBeginAttempt(lane, turn) {
        statements.push(`${turn.delivered ? 'record' : ''}${turn.freeze ? ` begin ${turn.freeze.fromSequence}` : ''}`.trim());
        return drained.store.concludeAndBeginAttempt(lane, turn);
      },
    };
    await push(1);
    // The first wait is for the next event. The second one begins with an unrecorded success.
    const watch = watchWith(2, () => push(1), [0, 1]);
    expect(await drain({ store, watch, lingerMs: 500 })).toEqual({ kind: 'drained' });
    expect(statements).toEqual(['begin 1', 'record', 'begin 2', 'record begin 3', 'record']);
    expect(await endpoint()).toMatchObject({ acked_sequence: 3, starts: 0, wake: false });
  });

  it('repeats at most one webhook, under the same ID, if its process dies before it recorded the success', async () => {
    const dying = new Error('the process died');
    const store: DeliveryStore = {
      ...drained.store,
      concludeAndBeginAttempt: (lane, turn) =>
        turn.delivered?.attempt.delivery.fromSequence === 2 ? Promise.reject(dying) : drained.store.concludeAndBeginAttempt(lane, turn),
    };
    await push(1);
    await expect(drain({ store, watch: watchWith(1, () => push(1), [0]), lingerMs: 500 })).rejects.toBe(dying);
    expect(await drain()).toEqual({ kind: 'drained' });
    expect(sequences()).toEqual([[1], [2], [2]]);
    expect(drained.sent[2]).toMatchObject({ id: drained.sent[1]!.id, body: drained.sent[1]!.body });
  });

  it('ends immediately when its process stops, and leaves the wake flag down', async () => {
    const stopping = new AbortController();
    const watch = createSequenceWatch(drained.db, stopping.signal);
    await push(1);
    const draining = drain({
      watch: {
        ...watch,
        waitFor(...args) {
          const waiting = watch.waitFor(...args);
          stopping.abort();
          return waiting;
        },
      },
      lingerMs: 40_000,
    });
    expect(await draining).toEqual({ kind: 'drained' });
    expect(await endpoint()).toMatchObject({ wake: false });
    expect(await wakes()).toBe(true);
    expect(await drain({ watch, lingerMs: 40_000 })).toEqual({ kind: 'drained' });
    expect(sequences()).toEqual([[1], [2]]);
  }, 35_000);

  it('waits on without the bodies of earlier events, and ends when delivery is paused', async () => {
    const { db, directoryId } = drained;
    await db('directories').where({ id: directoryId }).update({ log_webhook_events: false });
    await push(1);
    const kept: number[] = [];
    const meanwhile = [
      () => push(1),
      // It waits before it records the success, and then before it deletes the bodies.
      () => undefined,
      () => undefined,
      async () => {
        kept.push((await db('stored_events').where({ directory_id: directoryId }).whereNotNull('data')).length);
        await push(1);
      },
      () => undefined,
      () => undefined,
      () => db('webhook_endpoints').where({ directory_id: directoryId }).update({ status: 'paused' }),
    ];
    const watch = watchWith(meanwhile.length, async () => meanwhile.shift()!(), [0, 3]);
    expect(await drain({ watch, quietMs: 100, lingerMs: 40_000 })).toEqual({ kind: 'drained' });
    expect(sequences()).toEqual([[1], [2], [3]]);
    expect(kept).toEqual([0]);
    expect(meanwhile).toEqual([]);
  }, 35_000);

  it('ends while it waits if other drains need its place, and leaves the wake flag down', async () => {
    await push(1);
    const slots = createDrainSlots(2);
    const watch = watchWith(1, async () => void slots.enter());
    expect(await drain({ watch, slots, lingerMs: 40_000 })).toEqual({ kind: 'drained' });
    expect(await endpoint()).toMatchObject({ wake: false });
  }, 35_000);

  it('lets others deliver after 20 seconds, even if it is busy, once places are scarce', async () => {
    await push(3);
    const slots = createDrainSlots(2);
    let nowMs = Date.now();
    drained.respond = () => {
      nowMs += 21_000;
      if (nowMs - Date.now() > 40_000) slots.enter();
      return 200;
    };
    expect(await drain({ slots, now: () => nowMs })).toEqual({ kind: 'more' });
    expect(sequences()).toEqual([[1], [2]]);
  });

  it('skips no event after hints of changes without events', async () => {
    await push(1);
    let hinted = 0;
    // Every second hint comes with an event.
    const watch = watchWith(4, async ({ hint }) => {
      hint(drained.directoryId);
      if ((hinted += 1) % 2 === 0) await push(2);
    });
    await drain({ watch, lingerMs: 1_500 });
    expect(sequences().flat()).toEqual(sequences().map((_, index) => index + 1));
    const { last_sequence: last } = await drained.db('directories').where({ id: drained.directoryId }).first<{ last_sequence: number }>();
    expect(sequences()).toHaveLength(last);
  });

  it('loses nothing when its time is up between events', async () => {
    await push(1);
    // Each event causes the next one, so that only the time budget ends the drain.
    drained.respond = async () => {
      await push(1);
      return 200;
    };
    expect(await drain({ lingerMs: 200 }, { budgetMs: 300 })).toEqual({ kind: 'more' });
    drained.respond = () => 200;
    expect(await drain()).toEqual({ kind: 'drained' });
    expect(sequences().flat()).toEqual(sequences().map((_, index) => index + 1));
    expect(await endpoint()).toMatchObject({ wake: false });
  });

  it('leaves the wake flag down when its time is up while it watches', async () => {
    await push(1);
    const watch = watchWith(3, wakes);
    await drain({ watch, lingerMs: 100 }, { budgetMs: 250 });
    await drain();
    expect(await endpoint()).toMatchObject({ wake: false });
    expect(await wakes()).toBe(true);
  });
});

describe('after a response of the receiver', () => {
  it('waits as long as Retry-After says, and at least as long as the schedule says', async () => {
    await push(1);
    drained.respond = () => ({ statusCode: 429, retryAfterMs: 90_000 });
    expect(await drain()).toEqual({ kind: 'retry', delayMs: 90_000 });
    drained.respond = () => ({ statusCode: 503, retryAfterMs: 1 });
    expect(await drainNow()).toEqual({ kind: 'retry', delayMs: 1_000 });
    drained.respond = () => ({ statusCode: 503, retryAfterMs: 7 * 86_400_000 });
    expect(await drainNow()).toEqual({ kind: 'retry', delayMs: 86_400_000 });
  });

  it('disables the delivery when the schedule is exhausted, keeps the events, and sends an operator event', async () => {
    await push(2);
    drained.respond = () => 500;
    for (let attempt = 1; attempt <= 3; attempt += 1) expect(await drainNow()).toEqual({ kind: 'retry', delayMs: 1_000 });
    expect(await drainNow()).toEqual({ kind: 'inactive' });
    expect(await endpoint()).toMatchObject({
      status: 'disabled',
      acked_sequence: 0,
      status_reason: expect.stringContaining('exhausted after 4 attempts'),
    });
    expect(await drainNow()).toEqual({ kind: 'inactive' });
    expect(drained.sent).toHaveLength(4);
    const operatorEvents = await drained.db('operator_events').where('body', 'like', `%${drained.directoryId}%`).pluck('body');
    expect(operatorEvents.map((body) => (JSON.parse(body as string) as { event: string }).event)).toEqual([
      'dsync.delivery.failing',
      'dsync.delivery.disabled',
      'dsync.webhook_disabled',
    ]);
  });

  it('disables the delivery immediately on 410', async () => {
    await push(1);
    drained.respond = () => 410;
    expect(await drain()).toEqual({ kind: 'inactive' });
    expect(await endpoint()).toMatchObject({ status: 'disabled', status_reason: expect.stringContaining('410') });
  });

  it('disables the delivery to a blocked address instead of retrying', async () => {
    await push(1);
    drained.respond = () => ({ outcome: 'blocked', error: '10.0.0.1 is not a public address.' });
    expect(await drain()).toEqual({ kind: 'inactive' });
    expect(await endpoint()).toMatchObject({ status: 'misconfigured', status_reason: '10.0.0.1 is not a public address.' });
  });

  it('does not count an attempt that Rollcall aborted', async () => {
    await push(1);
    drained.respond = () => ({ outcome: 'aborted' });
    for (let attempt = 1; attempt <= 10; attempt += 1) expect(await drain()).toEqual({ kind: 'retry', delayMs: 0 });
    expect(await endpoint()).toMatchObject({ status: 'active', first_failure_at: null });
  });
});
