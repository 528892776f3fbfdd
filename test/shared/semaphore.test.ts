import { expect, it } from '@jest/globals';
import { createSemaphore } from '../../src/shared/semaphore.ts';

it('lets the given number in immediately, and the others in order as places become free', () => {
  const semaphore = createSemaphore(2);
  const started: number[] = [];
  for (const number of [1, 2, 3, 4]) semaphore.enter(() => started.push(number));
  expect(started).toEqual([1, 2]);
  semaphore.leave();
  expect(started).toEqual([1, 2, 3]);
  for (let left = 0; left < 3; left += 1) semaphore.leave();
  for (const number of [5, 6, 7]) semaphore.enter(() => started.push(number));
  expect(started).toEqual([1, 2, 3, 4, 5, 6]);
});

it('frees the place of work that fails', async () => {
  const semaphore = createSemaphore(1);
  const results = await Promise.allSettled([
    semaphore.run(() => Promise.reject(new Error('failed'))),
    semaphore.run(() => Promise.resolve('done')),
  ]);
  expect(results).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'done' }]);
});
