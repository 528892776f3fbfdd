import { expect, it } from '@jest/globals';
import { parseDuration } from '../../src/shared/parse-duration.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

it.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['720h', 30 * dayMs],
  ['30d', 30 * dayMs],
  ['1d12h', 36 * hourMs],
  ['12h1d', 36 * hourMs],
  ['1d 12h', 36 * hourMs],
  [' 7D ', 7 * dayMs],
  ['1.5h', 1.5 * hourMs],
  ['1h1h', 2 * hourMs],
])('parses %j', (text, expectedMs) => {
  expect(parseDuration(text)).toBe(expectedMs);
});

it.each(['', '  '])('reads %j as forever', (text) => {
  expect(parseDuration(text)).toBe(Infinity);
});

it.each(['7', 'd', '7 d', '7w', '1d garbage', 'garbage', '-1d', '1e3d', '0s', '0d0h', '.5h', '1.h', '7d,', `${'9'.repeat(400)}d`])(
  'rejects %j',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);
