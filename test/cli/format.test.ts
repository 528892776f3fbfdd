import { expect, it } from '@jest/globals';
import { formatSequence, timeAndAge } from '../../src/cli/output/format.ts';

it.each([
  [0, 'just now'],
  [4, 'just now'],
  [58, '58 seconds ago'],
  [60, '1 minute ago'],
  [7_200, '2 hours ago'],
  [200_000, '2 days ago'],
  [-3, 'just now'],
  [-58, 'in 58 seconds'],
])('says how long ago a time was: %s seconds, %s', (ageSeconds, age) => {
  const at = '2026-11-21T08:43:54Z';
  expect(timeAndAge(at, Date.parse(at) + ageSeconds * 1_000)).toBe(`${at} (${age})`);
});

it('keeps the column of sequence numbers straight', () => {
  expect([1, 10, 9_999].map(formatSequence)).toEqual(['#1   ', '#10  ', '#9999']);
});
