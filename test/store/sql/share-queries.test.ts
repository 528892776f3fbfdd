import { expect, it } from '@jest/globals';
import { shareQueries } from '../../../src/store/sql/share-queries.ts';
import { until } from '../../support/until.ts';

/** Queries that the test ends by hand. */
function start() {
  const queries: { keys: string[]; end(error?: Error): void }[] = [];
  const ask = shareQueries<string>(
    (keys) =>
      new Promise((resolve, reject) => {
        queries.push({ keys, end: (error) => (error ? reject(error) : resolve(new Map(keys.map((key) => [key, key.toUpperCase()])))) });
      }),
  );
  return { ask, queries, keys: () => queries.map(({ keys }) => keys.join('')) };
}

it('asks at once when nothing is under way, and shares the next query among all who ask meanwhile', async () => {
  const { ask, queries, keys } = start();
  const answers = ['a', 'b', 'c', 'b'].map(ask);
  expect(keys()).toEqual(['a']);
  queries[0]!.end();
  await until(() => queries.length === 2);
  expect(keys()).toEqual(['a', 'bc']);
  queries[1]!.end();
  expect(await Promise.all(answers)).toEqual(['A', 'B', 'C', 'B']);
});

it('tells a failure to those whom it concerns, and goes on', async () => {
  const { ask, queries } = start();
  const [first, second] = [ask('a'), ask('b')];
  queries[0]!.end(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await until(() => queries.length === 2);
  queries[1]!.end();
  expect(await second).toBe('B');
});
