import { describe, expect, it } from '@jest/globals';
import { createPathPattern, isPathPattern, sortByPrecision } from '../../src/limits/path-pattern.ts';

it.each([
  ['/scim/**', 'GET', '/scim', true],
  ['/scim/**', 'GET', '/scim/v2/users/1', true],
  ['/scim/**', 'GET', '/scimitar', false],
  ['POST /admin/recovery/*', 'POST', '/admin/recovery/code', true],
  ['POST /admin/recovery/*', 'POST', '/admin/recovery', false],
  ['POST /admin/recovery/*', 'POST', '/admin/recovery/code/more', false],
  ['POST /admin/recovery/*', 'GET', '/admin/recovery/code', false],
  ['/admin/identities/*/credentials/*', 'DELETE', '/admin/identities/1/credentials/oidc', true],
  ['/a/**/z', 'GET', '/a/z', true],
  ['/a/**/z', 'GET', '/a/b/c/z', true],
  ['/a.c', 'GET', '/abc', false],
  ['*', 'GET', '/', true],
  ['*', 'PUT', '/whatever/there/is', true],
])('the pattern %s on %s %s gives %s', (pattern, method, path, matches) => {
  expect(createPathPattern(pattern).matches(method, path)).toBe(matches);
});

it('puts the most precise first, and the fallback last', () => {
  const patterns = ['*', '/a/**', '/a/*', 'GET /a/b', '/a/b', '/a/b/*', 'POST /a/*'].map(createPathPattern);
  expect(sortByPrecision(patterns).map(({ text }) => text)).toEqual(['/a/b/*', 'GET /a/b', '/a/b', 'POST /a/*', '/a/*', '/a/**', '*']);
});

describe('path pattern', () => {
  it.each(['scim', '/scim/', 'get /scim', '/a b', '/a?b', '', 'GET', '//', 'GET  /a'])('is not %j', (text) => {
    expect(isPathPattern(text)).toBe(false);
  });
});
