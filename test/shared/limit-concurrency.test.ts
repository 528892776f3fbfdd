import { expect, it } from '@jest/globals';
import { limitConcurrency } from '../../src/shared/semaphore.ts';

it('runs at most the given number of operations concurrently, in order, also after a failure', async () => {
  let [running, most] = [0, 0];
  const begun: number[] = [];
  const store = limitConcurrency(
    {
      async work(number: number) {
        begun.push(number);
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (number % 3 === 0) throw new Error(`no ${number}`);
        return number;
      },
    },
    2,
  );
  const settled = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7].map((number) => store.work(number)));
  expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, true, false, true]);
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect([most, running]).toEqual([2, 0]);
  expect(await store.work(8)).toBe(8);
});
