import { expect, it } from '@jest/globals';
import { shareQueries } from '../../../src/store/sql/share-queries.ts';
import { until } from '../../support/until.ts';

/** Queries that the test completes explicitly. */
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

it('queries immediately when idle, and shares the next query among all callers that arrive during a query', async () => {
  const { ask, queries, keys } = start();
  const responses = ['a', 'b', 'c', 'b'].map(ask);
  expect(keys()).toEqual(['a']);
  queries[0]!.end();
  await until(() => queries.length === 2);
  expect(keys()).toEqual(['a', 'bc']);
  queries[1]!.end();
  expect(await Promise.all(responses)).toEqual(['A', 'B', 'C', 'B']);
});

it('rejects only the callers of a failed query, and continues', async () => {
  const { ask, queries } = start();
  const [first, second] = [ask('a'), ask('b')];
  queries[0]!.end(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await until(() => queries.length === 2);
  queries[1]!.end();
  expect(await second).toBe('B');
});
