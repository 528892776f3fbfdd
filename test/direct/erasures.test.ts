import { expect, it } from '@jest/globals';
import { createErasures } from '../../src/direct/periodic-tasks.ts';
import { createEraseUser, type EraseUserDeps } from '../../src/directory/erasure/erase-user.ts';
import { newId } from '../../src/ids.ts';

/** Erasures of 20 steps each, which note how many run at the same time. */
function setUp() {
  const steps = new Map<string, number>();
  const seen: string[][] = [];
  let running: string[] = [];
  const erasures: EraseUserDeps['erasures'] = {
    findUndeleted: () => Promise.resolve(undefined),
    markDeleted: () => Promise.resolve(),
    async eraseNextPart(_directoryId, userId) {
      running.push(userId);
      seen.push([...running]);
      await new Promise(setImmediate);
      running = running.filter((id) => id !== userId);
      const done = (steps.get(userId) ?? 0) + 1;
      steps.set(userId, done);
      return done < 20 ? 'more' : 'done';
    },
  };
  const eraseUser = createEraseUser({ erasures } as EraseUserDeps);
  return { eraseUser, steps, seen };
}

it('a process runs two steps of erasures at the same time', async () => {
  const { eraseUser, seen } = setUp();
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 10 }, () => eraseUser({ directoryId: newId(), userId: newId(), erasureId: newId() }, signal)));
  expect(Math.max(...seen.map((running) => running.length))).toBe(2);
  expect(seen).toHaveLength(200);
});

it('without Temporal, a directory has one erasure after the other', async () => {
  const { eraseUser, steps, seen } = setUp();
  const done: string[] = [];
  const erasures = createErasures({
    async eraseUser(user, signal) {
      const progress = await eraseUser(user, signal);
      done.push(user.userId);
      return progress;
    },
    log: undefined as never,
  });
  const directoryId = newId();
  const users = Array.from({ length: 5 }, () => ({ directoryId, userId: newId(), erasureId: newId() }));
  for (const user of users) await erasures.start(user);
  while (done.length < users.length) await new Promise(setImmediate);
  await erasures.stop();
  expect(done).toEqual(users.map(({ userId }) => userId));
  expect([...steps.values()]).toEqual([20, 20, 20, 20, 20]);
  expect(Math.max(...seen.map((running) => running.length))).toBe(1);
});
