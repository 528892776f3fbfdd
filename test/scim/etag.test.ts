import { expect, it } from '@jest/globals';
import { matchesVersion, readVersions, toETag, type Versions } from '../../src/scim/etag.ts';

it.each<[string | undefined, Versions | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['  ', undefined],
  ['*', '*'],
  [' * ', '*'],
  ['W/"3"', [3]],
  ['w/"3"', [3]],
  ['"3"', [3]],
  ['3', [3]],
  ['W/3', [3]],
  ['W/"3', [3]],
  ['W/"3", W/"4"', [3, 4]],
  ['W/"3",4,"5" , W/6', [3, 4, 5, 6]],
  ['W/"3" "4"', [3, 4]],
  ['"abc", W/"4"', [4]],
  ['"a,3,b"', []],
  ['"3 "', []],
  ['"*"', []],
  ['"03"', []],
  ['0', []],
  ['-1', []],
  ['3.0', []],
  ['1e3', []],
  ['0x3', []],
  ['٣', []],
  ['9'.repeat(400), []],
  ['W/', []],
  [',,,', []],
  ['"', []],
  ['W/"3694e05e9dff590"', []],
])('reads %j as %j', (header, versions) => {
  expect(readVersions(header)).toEqual(versions);
});

it('reads the tag that it writes', () => {
  expect(toETag(12)).toBe('W/"12"');
  expect(readVersions(toETag(12))).toEqual([12]);
});

it.each<[Versions, boolean]>([
  ['*', true],
  [[3], true],
  [[1, 3], true],
  [[1, 30], false],
  [[], false],
])('compares %j with version 3', (versions, isMatch) => {
  expect(matchesVersion(versions, 3)).toBe(isMatch);
});

it('reads a long header quickly', () => {
  const start = process.cpuUsage();
  for (const text of ['"', 'W/', ',', '"a', ' ', 'W/"1",']) readVersions(text.repeat(100_000));
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2_000);
});
