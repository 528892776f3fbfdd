import { setMaxListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { createFairSemaphore, type FairSemaphoreOptions } from '../../src/shared/fair-semaphore.ts';

const start = (options: Partial<FairSemaphoreOptions> = {}) =>
  createFairSemaphore({ name: 'searches', concurrency: 2, perDirectory: 1, maxWaiting: 100, maxWaitingPerDirectory: 10, ...options });
const never = new AbortController().signal;
setMaxListeners(0, never);

/** Records who entered, in order, and how each of them leaves. */
function visit(slots: ReturnType<typeof start>) {
  const entered: string[] = [];
  const exits = new Map<string, () => void>();
  const enter = (name: string, signal = never) => {
    const entering = note(name, slots.enter(name[0]!, signal));
    entering.catch(() => undefined);
    return entering;
  };
  const note = async (name: string, entering: Promise<() => void>) => {
    exits.set(name, await entering);
    entered.push(name);
  };
  const leave = async (name: string) => {
    exits.get(name)!();
    await settled();
  };
  return { entered, enter, leave };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('gives a directory no more than its share, and the rest to others', async () => {
  const { entered, enter } = visit(start());
  for (const name of ['a1', 'a2', 'b1', 'c1']) void enter(name);
  await settled();
  expect(entered).toEqual(['a1', 'b1']);
});

it('gives a free slot to the directories in turn, however many waiters one of them has', async () => {
  const { entered, enter, leave } = visit(start({ concurrency: 1 }));
  for (const name of ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1']) void enter(name);
  await settled();
  for (let index = 0; index < 7; index += 1) await leave(entered[index]!);
  expect(entered).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

it('skips a directory that holds its share already, and returns to it', async () => {
  const { entered, enter, leave } = visit(start({ concurrency: 2 }));
  for (const name of ['a1', 'b1', 'a2', 'c1']) void enter(name);
  await settled();
  await leave('b1');
  expect(entered).toEqual(['a1', 'b1', 'c1']);
  await leave('a1');
  expect(entered).toEqual(['a1', 'b1', 'c1', 'a2']);
});

it('rejects with `rate_limited` and the setting if the queue of the directory is full, and with `unavailable` if all queues are full', async () => {
  const { enter } = visit(start({ maxWaitingPerDirectory: 2, setting: 'SEARCHES_WAITING_PER_DIRECTORY' }));
  for (const name of ['a1', 'b1', 'a2', 'a3']) void enter(name);
  await expect(enter('a4')).rejects.toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('SEARCHES_WAITING_PER_DIRECTORY'),
  });
  const { enter: enterOther } = visit(start({ maxWaiting: 1 }));
  for (const name of ['a1', 'a2']) void enterOther(name);
  await expect(enterOther('a3')).rejects.toMatchObject({ code: 'unavailable' });
});

/** All six places to wait are taken. */
const fill = () => {
  const slots = start({ concurrency: 1, maxWaiting: 6 });
  const visitor = visit(slots);
  const waiting = ['x1', 'a1', 'a2', 'a3', 'b1', 'b2', 'b3'].map((name) => visitor.enter(name));
  return { ...visitor, slots, waiting };
};

describe('when all places to wait are taken', () => {
  const error = { code: 'unavailable' };

  it("replaces the newest waiter of the longest queue, unless the newcomer's own queue is as long", async () => {
    const { entered, enter, leave, waiting } = fill();
    void enter('c1');
    await expect(waiting[6]).rejects.toMatchObject(error);
    void enter('c2');
    await expect(waiting[3]).rejects.toMatchObject(error);
    await expect(enter('c3')).rejects.toMatchObject(error);
    for (let index = 0; index < 7; index += 1) await leave(entered[index]!);
    expect(entered).toEqual(['x1', 'a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });

  it('never rejects a directory whose queue is shorter, however many others work together', async () => {
    const { enter } = visit(start({ concurrency: 1, maxWaiting: 20, maxWaitingPerDirectory: 10 }));
    for (let round = 0; round < 10; round += 1) for (const name of 'xabcde') enter(`${name}${round}`).catch(() => undefined);
    let rejected = 0;
    for (const name of ['v1', 'v2', 'v3']) enter(name).catch(() => (rejected += 1));
    for (const name of 'abcde') enter(`${name}-again`).catch(() => undefined);
    await settled();
    expect(rejected).toBe(0);
  });

  it('counts a waiter that left and one that was replaced once each', async () => {
    const { entered, enter, leave, slots, waiting } = fill();
    const [leaver, displaced] = [new AbortController(), new AbortController()];
    await settled();
    await leave('x1');
    const last = enter('b4', displaced.signal);
    void enter('c1', leaver.signal);
    await expect(last).rejects.toMatchObject(error);
    displaced.abort(new Error('left after that'));
    leaver.abort(new Error('left'));
    await settled();
    // One place is free, so only the second of these replaces a waiter.
    void enter('d1');
    await settled();
    expect([entered, slots.count('b')]).toEqual([['x1', 'a1'], 0]);
    void enter('d2');
    await expect(waiting[6]).rejects.toMatchObject(error);
    for (let index = 1; index < 8; index += 1) await leave(entered[index] ?? '');
    expect(entered).toEqual(['x1', 'a1', 'b1', 'a2', 'd1', 'b2', 'a3', 'd2']);
    expect(['a', 'b', 'c', 'd'].map(slots.count)).toEqual([0, 0, 0, 0]);
  });
});

it('removes a waiter that leaves from the queue, and then has room for another', async () => {
  const { entered, enter, leave } = visit(start({ maxWaitingPerDirectory: 1 }));
  const leaving = new AbortController();
  void enter('a1');
  const left = enter('a2', leaving.signal);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  void enter('a3');
  await leave('a1');
  expect(entered).toEqual(['a1', 'a3']);
  await expect(enter('a4', leaving.signal)).rejects.toThrow('left');
});
