import { expect, it } from '@jest/globals';
import { createFairBytes, type FairBytes } from '../../src/shared/fair-bytes.ts';

const soon = () => new Promise((resolve) => setImmediate(resolve));
const timeoutMs = 10_000;

function ask(memory: FairBytes, directoryId: string, bytes: number, wait: { timeoutMs: number; signal?: AbortSignal } = { timeoutMs }) {
  const state = { isIn: false, isRejected: false, release: (): void => undefined };
  const enter = async () => {
    const held = await memory.enter(directoryId, bytes, wait);
    Object.assign(state, { isIn: held !== undefined, isRejected: held === undefined });
    if (held) state.release = held.release;
  };
  void enter();
  return state;
}

it('admits a large request after a limited number of later, smaller ones', async () => {
  const memory = createFairBytes({ maxBytes: 100 });
  const first = ask(memory, 'first', 60);
  const large = ask(memory, 'large', 50);
  await soon();
  let passed = 0;
  for (; passed < 1_000; passed += 1) {
    const small = ask(memory, `small-${passed}`, 10);
    await soon();
    if (!small.isIn) break;
    small.release();
  }
  expect(passed).toBe(20);
  expect(large.isIn).toBe(false);
  first.release();
  await soon();
  expect(large.isIn).toBe(true);
});

it('rejects optional requests while others wait', async () => {
  const memory = createFairBytes({ maxBytes: 100 });
  const first = ask(memory, 'first', 60);
  expect(memory.tryEnter('second', 10)).toBeDefined();
  const waiting = ask(memory, 'waiting', 80);
  await soon();
  expect([memory.isScarce(), memory.tryEnter('third', 1)]).toEqual([true, undefined]);
  first.release();
  await soon();
  expect([waiting.isIn, memory.isScarce(), memory.tryEnter('third', 10) !== undefined]).toEqual([true, false, true]);
});

it('stops waiting on timeout or abort', async () => {
  const memory = createFairBytes({ maxBytes: 100 });
  const holder = ask(memory, 'holder', 100);
  const stopping = new AbortController();
  const [waiting, stopped] = [ask(memory, 'waiting', 100), ask(memory, 'stopped', 100, { timeoutMs, signal: stopping.signal })];
  await soon();
  expect([stopped.isRejected, memory.heldUp()]).toEqual([false, 100]);
  stopping.abort();
  await soon();
  expect([stopped.isRejected, waiting.isRejected]).toEqual([true, false]);
  holder.release();
  await soon();
  expect(waiting.isIn).toBe(true);
  const late = ask(memory, 'late', 100, { timeoutMs: 5 });
  while (!late.isRejected) await soon();
  expect(memory.isScarce()).toBe(false);
  waiting.release();
  expect(memory.tryEnter('next', 100)).toBeDefined();
});

it('replaces the newest caller of the longest queue, and never one of a shorter queue', async () => {
  const memory = createFairBytes({ maxBytes: 100, maxWaiting: 4 });
  const holder = ask(memory, 'holder', 100);
  const waiting = ['a', 'a', 'b', 'b'].map((name) => ask(memory, name, 40));
  await soon();
  const newcomers = ['c', 'c', 'c'].map((name) => ask(memory, name, 40));
  await soon();
  const rejected = () => [...waiting, ...newcomers].map(({ isRejected }) => Number(isRejected)).join('');
  expect(rejected()).toBe('0101001');
  const [first, second] = [waiting[0]!, waiting[2]!];
  holder.release();
  await soon();
  expect([first.isIn, second.isIn, newcomers[0]!.isIn]).toEqual([true, true, false]);
  first.release();
  second.release();
  await soon();
  expect([newcomers[0]!.isIn, newcomers[1]!.isIn, memory.isScarce(), rejected()]).toEqual([true, false, true, '0101001']);
});

it('keeps waiting callers when an empty hold is released', async () => {
  const bytes = createFairBytes({ maxBytes: 100 });
  const wait = { timeoutMs: 10_000 };
  const [first, second] = [await bytes.enter('a', 10, wait), await bytes.enter('a', 10, wait)];
  first!.resize(0);
  second!.resize(0);
  first!.release();
  const other = await bytes.enter('b', 60, wait);
  const waiting = bytes.enter('a', 60, wait);
  second!.release();
  other!.release();
  expect(await waiting).toBeDefined();
});
