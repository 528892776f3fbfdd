import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { applyMutations } from '../../../src/directory/apply-mutations.ts';
import { drainDeliveries, type DrainDeps, type DrainRun } from '../../../src/directory/delivery/drain-deliveries.ts';
import type { SendRequest, SendResult } from '../../../src/directory/delivery/exchange.ts';
import type { DeliveryStore, SequenceWatch } from '../../../src/directory/delivery/ports.ts';
import { newId } from '../../../src/ids.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { createDeliveryStore } from '../../../src/store/deliveries/delivery-store.ts';
import { createTellOperator } from '../../../src/store/operator-events.ts';
import { createSecretColumns } from '../../../src/store/secret-columns.ts';
import { createSequenceWatch } from '../../../src/store/sequence-watch.ts';
import { cloneDatabase } from '../../support/database.ts';

interface Told {
  sequence: number;
}
type Answer = Partial<SendResult> | number;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let store: DeliveryStore;
let directoryId: string;
let sent: (SendRequest & { sequences: number[] })[];
let answer: (sequences: number[], count: number) => Answer | Promise<Answer>;

beforeAll(async () => {
  database = await cloneDatabase();
  store = createDeliveryStore({
    db: database.db,
    secretColumns: createSecretColumns(createKeyring([randomBytes(32)])),
    tellOperator: createTellOperator({ isHeard: true }),
    inBatches: true,
  });
});
afterAll(() => database.drop());
beforeEach(async () => {
  directoryId = newId();
  [sent, answer] = [[], () => 200];
  await database
    .db('directories')
    .insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2', log_webhook_events: true });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId, url: 'http://127.0.0.1:1/' });
});

const push = (count: number, more: object = {}) =>
  applyMutations(
    createChangeStore(database.db),
    directoryId,
    Array.from({ length: count }, () => {
      const resourceId = newId();
      return { kind: 'createUser', id: newId(), directoryId, resourceId, resource: { userName: resourceId, ...more } } as const;
    }),
  );

const drain = (deps: Partial<DrainDeps> = {}, run: Partial<DrainRun> = {}) =>
  drainDeliveries(
    {
      store,
      watch: createSequenceWatch(database.db),
      send: async (request) => {
        const body = JSON.parse(request.body) as Told | Told[];
        const sequences = [body].flat().map(({ sequence }) => sequence);
        sent.push({ ...request, sequences });
        const answered = await answer(sequences, sent.length);
        const { statusCode, ...more } = typeof answered === 'number' ? { statusCode: answered } : { statusCode: undefined, ...answered };
        const outcome = statusCode !== undefined && statusCode < 300 ? 'success' : 'http_error';
        return {
          outcome,
          ...(statusCode !== undefined && { statusCode }),
          exchange: { requestHeaders: {}, timings: { totalMs: 1 } },
          ...more,
        };
      },
      retryDelaysMs: [1_000, 1_000, 1_000],
      random: () => 0.5,
      batchSize: undefined,
      lingerMs: 0,
      ...deps,
    },
    directoryId,
    { beat: () => undefined, signal: new AbortController().signal, budgetMs: 10_000, timeoutMs: 1_000, ...run },
  );
/** As if the time had come. */
const drainNow = async (deps: Partial<DrainDeps> = {}) => {
  await database
    .db('webhook_batches')
    .where({ directory_id: directoryId })
    .update({ next_attempt_at: new Date(0) });
  return drain(deps);
};
const sequences = () => sent.map((request) => request.sequences);
const endpoint = () => database.db('webhook_endpoints').where({ directory_id: directoryId }).first();

it('sends one event at a time, each as an object', async () => {
  await push(3);
  expect(await drain()).toEqual({ kind: 'drained' });
  expect(sequences()).toEqual([[1], [2], [3]]);
  expect(JSON.parse(sent[0]!.body)).toMatchObject({ event: 'user.created', sequence: 1 });
});

const wakes = async () => (await push(1)).wake;

/** Calls back each time that a drain has begun to look out for more, so many times. */
function watchWith(times: number, meanwhile: (watch: SequenceWatch) => Promise<unknown>): SequenceWatch {
  const watch = createSequenceWatch(database.db);
  let left = times;
  return {
    ...watch,
    async waitFor(...asked) {
      const waiting = watch.waitFor(...asked);
      if ((left -= 1) >= 0) await meanwhile(watch);
      return waiting;
    },
  };
}

describe('while a directory is in use', () => {
  it('is told of changes without being woken, and leaves the flag down when it goes', async () => {
    const woken: boolean[] = [];
    await push(1);
    const watch = watchWith(5, async () => woken.push(await wakes()));
    expect(await drain({ watch, lingerMs: 400 })).toEqual({ kind: 'drained' });
    expect(sequences()).toEqual([[1], [2], [3], [4], [5], [6]]);
    expect(woken).toEqual([false, false, false, false, false]);
    expect(await endpoint()).toMatchObject({ wake: false });
    expect(await wakes()).toBe(true);
  });

  it('passes no event over though it is told of changes that made none', async () => {
    await push(1);
    let hinted = 0;
    // First told of nothing, then of an event, and so on.
    const watch = watchWith(4, async ({ hint }) => {
      hint(directoryId);
      if ((hinted += 1) % 2 === 0) await push(2);
    });
    await drain({ watch, lingerMs: 400 });
    expect(sequences().flat()).toEqual(sequences().map((_, index) => index + 1));
    const { last_sequence: last } = await database.db('directories').where({ id: directoryId }).first<{ last_sequence: number }>();
    expect(sequences()).toHaveLength(last);
  });

  it('forgets nothing when its time is over in the middle', async () => {
    await push(1);
    // Each event brings the next one, so that there is no end but that of the time.
    answer = async () => {
      await push(1);
      return 200;
    };
    expect(await drain({ lingerMs: 200 }, { budgetMs: 300 })).toEqual({ kind: 'more' });
    answer = () => 200;
    expect(await drain()).toEqual({ kind: 'drained' });
    expect(sequences().flat()).toEqual(sequences().map((_, index) => index + 1));
    expect(await endpoint()).toMatchObject({ wake: false });
  });

  it('leaves the flag down when its time is over while it looks on', async () => {
    await push(1);
    const watch = watchWith(3, wakes);
    await drain({ watch, lingerMs: 100 }, { budgetMs: 250 });
    await drain();
    expect(await endpoint()).toMatchObject({ wake: false });
    expect(await wakes()).toBe(true);
  });
});

describe('in batches', () => {
  it('sends arrays of at most so many', async () => {
    await push(7);
    expect(await drain({ batchSize: 3 })).toEqual({ kind: 'drained' });
    expect(sequences()).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(sent.map(({ body }) => body.startsWith('['))).toEqual([true, true, true]);
  });

  it('ends a batch before it grows beyond 256 KiB, and sends a larger event alone', async () => {
    await push(3, { nickName: 'x'.repeat(100_000) });
    await push(1, { nickName: 'x'.repeat(400_000) });
    await push(1);
    await drain({ batchSize: 100 });
    expect(sequences()).toEqual([[1, 2], [3], [4], [5]]);
    expect(sent.slice(0, 2).every(({ body }) => Buffer.byteLength(body) <= 262_144)).toBe(true);
  });

  it('leaves what comes meanwhile for the next time', async () => {
    await push(2);
    answer = async (_, count) => {
      if (count === 1) await push(1);
      return 200;
    };
    await drain({ batchSize: 2 });
    expect(sequences()).toEqual([[1, 2]]);
    await drain({ batchSize: 2 });
    expect(sequences()).toEqual([[1, 2], [3]]);
  });

  it('finds the event that a receiver refuses, and delivers everything before it', async () => {
    await push(16);
    answer = (batch) => (batch.includes(11) ? 422 : 200);
    for (let round = 1; round <= 3; round += 1) await drainNow({ batchSize: 16 });
    expect(sequences().slice(0, 3)).toEqual(Array.from({ length: 3 }, () => Array.from({ length: 16 }, (_, index) => index + 1)));
    expect(sequences().slice(3)).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8],
      [9, 10, 11, 12, 13, 14, 15, 16],
      [9, 10, 11, 12],
      [9, 10],
      [11, 12],
      [11],
    ]);
    expect(await endpoint()).toMatchObject({ acked_sequence: 10, status: 'enabled' });
    answer = () => 200;
    await drainNow({ batchSize: 16 });
    expect(sequences().slice(9)).toEqual([[11], [12], [13, 14], [15, 16]]);
  });

  it('divides a batch that is too large at once', async () => {
    await push(4);
    answer = (batch) => (batch.length > 2 ? 413 : 200);
    expect(await drain({ batchSize: 4 })).toEqual({ kind: 'drained' });
    expect(sequences()).toEqual([
      [1, 2, 3, 4],
      [1, 2],
      [3, 4],
    ]);
  });

  it.each([429, 502, 503, 504])('sends less at once after a %d, and more again when that is taken', async (status) => {
    await push(8);
    answer = (_, count) => (count === 1 ? status : 200);
    expect(await drain({ batchSize: 4 })).toEqual({ kind: 'retry', delayMs: 1_000 });
    await push(8);
    await drainNow({ batchSize: 4 });
    expect(sequences()).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
      [5, 6],
      [7, 8, 9, 10],
      [11, 12, 13, 14],
      [15, 16],
    ]);
  });
});

describe('what a receiver answers', () => {
  it('waits as long as it asks for, and no less than the schedule says', async () => {
    await push(1);
    answer = () => ({ statusCode: 429, retryAfterMs: 90_000 });
    expect(await drain()).toEqual({ kind: 'retry', delayMs: 90_000 });
    answer = () => ({ statusCode: 503, retryAfterMs: 1 });
    expect(await drainNow()).toEqual({ kind: 'retry', delayMs: 1_000 });
    answer = () => ({ statusCode: 503, retryAfterMs: 7 * 86_400_000 });
    expect(await drainNow()).toEqual({ kind: 'retry', delayMs: 86_400_000 });
  });

  it('disables the delivery when the schedule is exhausted, keeps the events, and tells the operator', async () => {
    await push(2);
    answer = () => 500;
    for (let attempt = 1; attempt <= 3; attempt += 1) expect(await drainNow()).toEqual({ kind: 'retry', delayMs: 1_000 });
    expect(await drainNow()).toEqual({ kind: 'resting' });
    expect(await endpoint()).toMatchObject({
      status: 'disabled',
      acked_sequence: 0,
      status_reason: expect.stringContaining('exhausted after 4 attempts'),
    });
    expect(await drainNow()).toEqual({ kind: 'resting' });
    expect(sent).toHaveLength(4);
    const told = await database.db('operator_events').where('body', 'like', `%${directoryId}%`).pluck('body');
    expect(told.map((body) => (JSON.parse(body as string) as { event: string }).event)).toEqual(['dsync.webhook_disabled']);
  });

  it('disables the delivery at once on 410', async () => {
    await push(1);
    answer = () => 410;
    expect(await drain()).toEqual({ kind: 'resting' });
    expect(await endpoint()).toMatchObject({ status: 'disabled', status_reason: expect.stringContaining('410') });
  });

  it('takes an address that must not be reached for a state, not for a failure to try again', async () => {
    await push(1);
    answer = () => ({ outcome: 'blocked', error: '10.0.0.1 is not a public address.' });
    expect(await drain()).toEqual({ kind: 'resting' });
    expect(await endpoint()).toMatchObject({ status: 'misconfigured', status_reason: '10.0.0.1 is not a public address.' });
  });

  it('does not count our own end against it', async () => {
    await push(1);
    answer = () => ({ outcome: 'aborted' });
    for (let attempt = 1; attempt <= 10; attempt += 1) expect(await drain()).toEqual({ kind: 'retry', delayMs: 0 });
    expect(await endpoint()).toMatchObject({ status: 'enabled', first_failure_at: null });
  });
});

const replay = async (...ranges: [number, number][]) => {
  const { id: endpointId } = (await endpoint()) as { id: string };
  const id = newId();
  const total = ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  await database
    .db('webhook_replays')
    .insert({ directory_id: directoryId, id, endpoint_id: endpointId, mode: 'range', ranges: JSON.stringify(ranges), total });
  return { id, row: () => database.db('webhook_replays').where({ directory_id: directoryId, id }).first() };
};

describe('a replay', () => {
  it('sends its events again, marked, under ids of their own', async () => {
    await push(6);
    await drain();
    const { id, row } = await replay([2, 3], [6, 6]);
    expect(await drain()).toEqual({ kind: 'drained' });
    expect(sequences().slice(6)).toEqual([[2], [3], [6]]);
    expect(sent.slice(6).map(({ headers }) => headers)).toEqual([1, 2, 3].map(() => ({ 'webhook-replay': id })));
    expect(sent.slice(6).map(({ body }) => body)).toEqual([sent[1]!.body, sent[2]!.body, sent[5]!.body]);
    expect(new Set(sent.map((request) => request.id)).size).toBe(9);
    expect(await row()).toMatchObject({ status: 'done', done: 3, total: 3 });
    expect(await endpoint()).toMatchObject({ acked_sequence: 6 });
  });

  it('lets what is new go first', async () => {
    await push(3);
    await drain();
    await replay([1, 3]);
    answer = async (_, count) => {
      if (count === 4) await push(2);
      return 200;
    };
    await drain();
    expect(sequences().slice(3)).toEqual([[1], [4], [5], [2], [3]]);
  });

  it('does not say that it is done when some of its events are gone', async () => {
    await push(4);
    await drain();
    const { row } = await replay([1, 4]);
    await database.db('events').where({ directory_id: directoryId }).where('sequence', '<=', 3).delete();
    await drain();
    expect(sequences().slice(4)).toEqual([[4]]);
    expect(await row()).toMatchObject({ status: 'failed', done: 1, status_reason: expect.stringContaining('Of 4 events 1 could be sent') });
  });

  it('waits by itself when it fails, and fails alone in the end', async () => {
    await push(1);
    await drain();
    const { row } = await replay([1, 1]);
    answer = () => 500;
    for (let attempt = 1; attempt <= 3; attempt += 1) expect(await drainNow()).toEqual({ kind: 'retry', delayMs: expect.any(Number) });
    answer = ([sequence]) => (sequence === 2 ? 200 : 500);
    await push(1);
    expect(await drainNow()).toEqual({ kind: 'drained' });
    expect(await row()).toMatchObject({ status: 'failed', done: 0, status_reason: expect.stringContaining('exhausted') });
    expect(await endpoint()).toMatchObject({ acked_sequence: 2, status: 'enabled' });
  });
});
