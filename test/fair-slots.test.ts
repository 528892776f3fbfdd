import { expect, it } from '@jest/globals';
import { createFairSlots, type FairSlotsOptions } from '../src/fair-slots.ts';

const start = (options: Partial<FairSlotsOptions> = {}) =>
  createFairSlots({ name: 'searches', atOnce: 2, perDirectory: 1, maxWaiting: 100, maxWaitingPerDirectory: 10, ...options });
const never = new AbortController().signal;

/** Notes who entered, in this order, and how each leaves. */
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

it('gives a free slot to the directories in turn, however many one of them has waiting', async () => {
  const { entered, enter, leave } = visit(start({ atOnce: 1 }));
  for (const name of ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1']) void enter(name);
  await settled();
  for (let index = 0; index < 7; index += 1) await leave(entered[index]!);
  expect(entered).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

it('passes over a directory that holds its share already, and comes back to it', async () => {
  const { entered, enter, leave } = visit(start({ atOnce: 2 }));
  for (const name of ['a1', 'b1', 'a2', 'c1']) void enter(name);
  await settled();
  await leave('b1');
  expect(entered).toEqual(['a1', 'b1', 'c1']);
  await leave('a1');
  expect(entered).toEqual(['a1', 'b1', 'c1', 'a2']);
});

it('refuses what finds the queue of its directory full with `rate_limited` and the setting, and what finds all full with `unavailable`', async () => {
  const { enter } = visit(start({ maxWaitingPerDirectory: 2, maxWaiting: 3, setting: 'SEARCHES_WAITING_PER_DIRECTORY' }));
  for (const name of ['a1', 'b1', 'a2', 'a3']) void enter(name);
  await expect(enter('a4')).rejects.toMatchObject({
    code: 'rate_limited',
    message: 'At most 2 searches of a directory may wait (SEARCHES_WAITING_PER_DIRECTORY); try again.',
  });
  void enter('b2');
  await expect(enter('b3')).rejects.toMatchObject({ code: 'unavailable' });
});

it('takes out of the queue who leaves, and then has room for another', async () => {
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
