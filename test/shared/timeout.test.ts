import { expect, it } from '@jest/globals';
import { raceTimeout, waitAtMost } from '../../src/shared/timeout.ts';

const never = new Promise<string>(() => undefined);

it('returns the value of work that ends in time, and the other value otherwise', async () => {
  expect(await raceTimeout(60_000, Promise.resolve('done'), 'late')).toBe('done');
  expect(await raceTimeout(1, never, 'late')).toBe('late');
});

it('says whether work ended in time, and passes on its failure', async () => {
  expect(await waitAtMost(60_000, Promise.resolve(undefined))).toBe(true);
  expect(await waitAtMost(1, never)).toBe(false);
  await expect(waitAtMost(60_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});
