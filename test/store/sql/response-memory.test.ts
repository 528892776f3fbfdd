import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import { createResponseMemory } from '../../../src/store/sql/response-memory.ts';

const nothing = () => Promise.resolve();
const soon = () => new Promise((resolve) => setImmediate(resolve));

/** A response that holds this much memory until it is closed. */
function respond(memory: ReturnType<typeof createResponseMemory>, owner: string, bytes: number, weigh?: () => number) {
  const response = new EventEmitter();
  const state = { hasRead: false, error: undefined as unknown, close: () => void response.emit('close') };
  void memory
    .during(response, () => memory.read(owner, bytes, nothing, weigh))
    .then(
      () => (state.hasRead = true),
      (error: unknown) => (state.error = error),
    );
  return state;
}

it('holds memory until the response is closed', async () => {
  const memory = createResponseMemory({ maxBytes: 100, timeoutMs: 10_000 });
  const [first, second] = [respond(memory, 'a', 80), respond(memory, 'b', 80)];
  await soon();
  expect([first.hasRead, second.hasRead]).toEqual([true, false]);
  first.close();
  await soon();
  expect(second.hasRead).toBe(true);
});

it('holds none for a response that was destroyed before', async () => {
  const memory = createResponseMemory({ maxBytes: 100, timeoutMs: 10_000 });
  const left = Object.assign(new EventEmitter(), { destroyed: true });
  await expect(memory.during(left, () => memory.read('a', 100, nothing))).rejects.toMatchObject({ code: 'unavailable' });
  await memory.read('b', 100, nothing);
});

it('leaves half of the memory to other directories, and serves waiting directories round-robin', async () => {
  const memory = createResponseMemory({ maxBytes: 100, timeoutMs: 10_000 });
  const greedy = Array.from({ length: 10 }, () => respond(memory, 'a', 25));
  const [other, another] = [respond(memory, 'b', 25), respond(memory, 'c', 25)];
  await soon();
  expect([greedy.filter(({ hasRead }) => hasRead).length, other.hasRead, another.hasRead]).toEqual([2, true, true]);
  greedy[0]!.close();
  await soon();
  expect(greedy.filter(({ hasRead }) => hasRead)).toHaveLength(3);
});

it('admits a read that is larger than the budget, alone', async () => {
  const memory = createResponseMemory({ maxBytes: 100, timeoutMs: 10_000 });
  const [large, small] = [respond(memory, 'a', 1_000), respond(memory, 'b', 1)];
  await soon();
  expect([large.hasRead, small.hasRead]).toEqual([true, false]);
  large.close();
  await soon();
  expect(small.hasRead).toBe(true);
});

it('returns unused memory, and all memory when a read fails', async () => {
  const memory = createResponseMemory({ maxBytes: 100, timeoutMs: 10_000 });
  const less = respond(memory, 'a', 100, () => 10);
  await expect(memory.read('b', 90, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  const next = respond(memory, 'b', 90);
  await soon();
  expect([less.hasRead, next.hasRead]).toEqual([true, true]);
});

it('rejects with the name of the setting when too many reads wait, and on timeout', async () => {
  const memory = createResponseMemory({ maxBytes: 100, timeoutMs: 20, maxWaitingPerDirectory: 1 });
  const holder = respond(memory, 'a', 100);
  const [waiting, surplus] = [respond(memory, 'b', 100), respond(memory, 'b', 100)];
  await soon();
  expect(surplus.error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('MAX_RESPONSES_BYTES') });
  while (waiting.error === undefined) await soon();
  expect(waiting.error).toMatchObject({ code: 'unavailable' });
  holder.close();
  await memory.read('b', 100, nothing);
});

/** A written response that its client does not read. */
async function hold(memory: ReturnType<typeof createResponseMemory>, owner: string, bytes: number) {
  const response = new EventEmitter();
  const state = { isEnded: false };
  const destroy = () => {
    state.isEnded = true;
    response.emit('close');
  };
  await memory.during(Object.assign(response, { destroy }), () => memory.read(owner, bytes, nothing));
  return state;
}

it('closes unread responses of the directory that holds most while another directory waits for memory', async () => {
  const warnings: unknown[] = [];
  const log = { warn: (...given: unknown[]) => void warnings.push(given[0]) };
  const memory = createResponseMemory({ maxBytes: 100, timeoutMs: 10_000, heldTimeoutMs: 5, log });
  const [small, large, larger] = [await hold(memory, 'a', 30), await hold(memory, 'b', 20), await hold(memory, 'b', 25)];
  await memory.read('c', 25, nothing);
  await memory.read('c', 40, nothing);
  expect([small, large, larger].map(({ isEnded }) => isEnded)).toEqual([false, false, true]);
  expect(warnings).toEqual([{ directoryId: 'b', bytes: 25 }]);
});

it('closes no response for a directory that would then hold more', async () => {
  const memory = createResponseMemory({ maxBytes: 100, timeoutMs: 100, heldTimeoutMs: 5 });
  const held = [await hold(memory, 'a', 30), await hold(memory, 'b', 30)];
  await expect(memory.read('c', 70, nothing)).rejects.toMatchObject({ code: 'unavailable' });
  expect(held.map(({ isEnded }) => isEnded)).toEqual([false, false]);
});

const large = 600_000;

/** A response of this size that the test writes explicitly. */
function write(memory: ReturnType<typeof createResponseMemory>, owner: string, weigh?: () => number) {
  const response = new EventEmitter();
  const state = { hasRead: false, finish: () => undefined as void, close: () => void response.emit('close'), isOver: false };
  const written = new Promise<void>((resolve) => (state.finish = resolve));
  const work = async () => {
    await memory.read(owner, large, nothing, weigh);
    state.hasRead = true;
    await written;
  };
  void memory.during(response, work).then(
    () => (state.isOver = true),
    () => (state.isOver = true),
  );
  return state;
}

it('limits concurrent large responses of a directory until they are written', async () => {
  const memory = createResponseMemory({ maxBytes: 100_000_000, timeoutMs: 10_000 });
  const [first, , third, leaver] = [write(memory, 'a'), write(memory, 'a'), write(memory, 'a'), write(memory, 'a')];
  const other = write(memory, 'b');
  const small = respond(memory, 'a', 1_000);
  await soon();
  expect([first, third, leaver, other, small].map(({ hasRead }) => hasRead)).toEqual([true, false, false, true, true]);
  leaver.close();
  await soon();
  expect(leaver.isOver).toBe(true);
  // Written, but not yet read by its client.
  first.finish();
  await soon();
  await soon();
  expect(third.hasRead).toBe(true);
});

it('needs no slot for a small response, and takes one after it has read a large page', async () => {
  const memory = createResponseMemory({ maxBytes: 100_000_000, timeoutMs: 10_000 });
  const little = Array.from({ length: 10 }, () => write(memory, 'a', () => 10));
  await soon();
  expect(little.filter(({ hasRead }) => hasRead)).toHaveLength(10);
  const pages = Array.from({ length: 3 }, () => write(memory, 'a', () => large));
  await soon();
  expect(pages.map(({ hasRead }) => hasRead)).toEqual([true, true, false]);
  pages[1]!.finish();
  await soon();
  await soon();
  expect(pages[2]!.hasRead).toBe(true);
});

it('lets other work run between large responses of a directory', async () => {
  const memory = createResponseMemory({ maxBytes: 100_000_000, timeoutMs: 10_000 });
  const pages = Array.from({ length: 6 }, () => respond(memory, 'a', large, () => large));
  const read = () => pages.filter(({ hasRead }) => hasRead).length;
  const afterEachTurn: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await soon();
    afterEachTurn.push(read());
  }
  expect(afterEachTurn).toEqual([2, 4, 6]);
});

it('continues without a slot after the timeout', async () => {
  const memory = createResponseMemory({ maxBytes: 100_000_000, timeoutMs: 20 });
  const three = Array.from({ length: 3 }, () => write(memory, 'a'));
  while (!three[2]!.hasRead) await soon();
  expect(three.map(({ isOver }) => isOver)).toEqual([false, false, false]);
});
