import { afterEach, expect, it } from '@jest/globals';
import type { FeedUpdates, TransactionPlace } from '../../../src/directory/feed/ports.ts';
import { createFeedWatch, type FeedWatch } from '../../../src/directory/feed/feed-watch.ts';
import { until } from '../../support/until.ts';

const [one, other] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'] as const;
const at = (txid: number): TransactionPlace => ({ database: 'here', txid: String(txid) });

let watch: FeedWatch;
afterEach(() => watch.stop());

/** A database whose results the test provides. */
function start({ maxWaiting = 10, maxWaitingPerFeed = 10 } = {}) {
  const sequences = new Map<string, number>([
    [one, 0],
    [other, 0],
  ]);
  const polls: { directoryIds: string[]; sinceTxid: number | undefined }[] = [];
  const state = { news: [] as FeedUpdates['owners'], settledTxid: 100, isDown: false };
  watch = createFeedWatch({
    store: {
      poll(waiting) {
        polls.push(waiting);
        if (state.isDown) return Promise.reject(new Error('away'));
        const known = waiting.directoryIds.filter((id) => sequences.has(id)).map((id): [string, number] => [id, sequences.get(id)!]);
        return Promise.resolve({ lastSequences: new Map(known), owners: state.news, settledTxid: state.settledTxid });
      },
    },
    everyMs: 5,
    maxWaiting,
    maxWaitingPerFeed,
  });
  return { sequences, polls, state };
}

const patient = () => ({ timeoutMs: 15_000, signal: new AbortController().signal });
const inDirectory = (directoryId: string, sequence: number, options = patient()) => watch.wait({ directoryId }, { sequence }, options);

it('polls once for all waiting requests, and not at all without any', async () => {
  const { sequences, polls } = start();
  const waiting = [inDirectory(one, 0), inDirectory(one, 0), inDirectory(other.toUpperCase(), 0), watch.wait(undefined, at(7), patient())];
  await until(() => polls.length > 2);
  expect(polls[0]).toEqual({ directoryIds: [one, other], sinceTxid: 7 });
  sequences.set(one, 1);
  expect(await Promise.all(waiting.slice(0, 2))).toEqual([true, true]);
  await until(() => polls.at(-1)!.directoryIds.length === 1);
  watch.stop();
  expect(await Promise.all(waiting)).toEqual([true, true, false, false]);
  const count = polls.length;
  expect(await inDirectory(one, 1)).toBe(false);
  expect(polls.length).toBe(count);
});

it('wakes a request that waits for a deleted directory', async () => {
  const { sequences } = start();
  sequences.delete(one);
  expect(await inDirectory(one, 0)).toBe(true);
});

it('wakes requests with new events, and polls for the others from there on', async () => {
  const { polls, state } = start();
  const acme = { tenant: 'acme', product: 'app' };
  const waiting = [watch.wait(acme, at(40), patient()), watch.wait({ ...acme, tenant: 'x' }, at(50), patient())];
  await until(() => polls.at(-1)?.sinceTxid === 100);
  expect(polls[0]!.sinceTxid).toBe(40);
  // An event before the place is not news.
  state.news = [
    { ...acme, tenant: 'y', txid: 300 },
    { ...acme, txid: 90 },
  ];
  state.settledTxid = 310;
  await until(() => polls.at(-1)?.sinceTxid === 310);
  state.news = [{ ...acme, txid: 311 }];
  expect(await waiting[0]).toBe(true);
  state.news = 'all';
  expect(await waiting[1]).toBe(true);
});

it('keeps polling after a failure', async () => {
  const { sequences, polls, state } = start();
  state.isDown = true;
  const waiting = inDirectory(one, 0);
  await until(() => polls.length > 2);
  sequences.set(one, 1);
  state.isDown = false;
  expect(await waiting).toBe(true);
});

it('ends a wait after its timeout, or when the reader disconnects', async () => {
  const { polls } = start();
  expect(await inDirectory(one, 0, { ...patient(), timeoutMs: 20 })).toBe(false);
  const leaving = new AbortController();
  const waiting = inDirectory(one, 0, { ...patient(), signal: leaving.signal });
  leaving.abort();
  expect(await waiting).toBe(false);
  expect(await inDirectory(one, 0, { ...patient(), signal: leaving.signal })).toBe(false);
  const count = polls.length;
  const last = inDirectory(other, 0);
  await until(() => polls.length > count);
  expect(polls.at(-1)!.directoryIds).toEqual([other]);
  watch.stop();
  expect(await last).toBe(false);
});

it('rejects requests above the limit, and accepts them again later', async () => {
  const { sequences } = start({ maxWaiting: 2 });
  const waiting = [inDirectory(one, 0), inDirectory(other, 0)];
  await expect(inDirectory(other, 0)).rejects.toMatchObject({ code: 'unavailable' });
  sequences.set(one, 1);
  expect(await waiting[0]).toBe(true);
  const again = inDirectory(other, 0);
  watch.stop();
  expect(await Promise.all([again, waiting[1]])).toEqual([false, false]);
});

it('rejects requests above the limit of one directory, and accepts those of others', async () => {
  start({ maxWaitingPerFeed: 2 });
  const leaving = new AbortController();
  const waiting = [inDirectory(one, 0, { timeoutMs: 15_000, signal: leaving.signal }), inDirectory(one.toUpperCase(), 0)];
  await expect(inDirectory(one, 0)).rejects.toMatchObject({ code: 'rate_limited' });
  const acme = { tenant: 'acme', product: 'app' };
  waiting.push(inDirectory(other, 0), watch.wait(acme, at(7), patient()), watch.wait(undefined, at(7), patient()));
  leaving.abort();
  expect(await waiting[0]).toBe(false);
  waiting.push(inDirectory(one, 0));
  watch.stop();
  expect(await Promise.all(waiting)).toEqual([false, false, false, false, false, false]);
});
