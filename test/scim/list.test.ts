import { describe, expect, it } from '@jest/globals';
import { readPage, toListResponse } from '../../src/scim/list.ts';

describe('page by index', () => {
  it.each<[object, number, number]>([
    [{}, 1, 100],
    [{ startIndex: '2', count: '3' }, 2, 3],
    [{ startIndex: 2, count: 3 }, 2, 3],
    [{ startIndex: ' 2 ', count: '+3' }, 2, 3],
    [{ startIndex: '0', count: '0' }, 1, 0],
    [{ startIndex: '-5', count: '-1' }, 1, 0],
    [{ count: '1001' }, 1, 1000],
    [{ count: 5000 }, 1, 1000],
    [{ startIndex: '9'.repeat(400), count: '9'.repeat(400) }, Number.MAX_SAFE_INTEGER, 1000],
    [{ startIndex: `-${'9'.repeat(400)}`, count: `-${'9'.repeat(400)}` }, 1, 0],
    [{ startIndex: '', count: '' }, 1, 100],
    [{ startIndex: '1.5', count: '2.5' }, 1, 100],
    [{ startIndex: 1.5, count: Number.NaN }, 1, 100],
    [{ startIndex: 'first', count: 'all' }, 1, 100],
    [{ startIndex: '0x10', count: '1e3' }, 1, 100],
    [{ startIndex: null, count: null }, 1, 100],
    [{ startIndex: {}, count: [5] }, 1, 100],
    [{ startIndex: true, count: true }, 1, 100],
    [{ cursor: null, startIndex: 3 }, 3, 100],
  ])('is read from %j', (query, startIndex, count) => {
    const page = readPage(query);
    expect(page).toEqual({ kind: 'index', startIndex, count });
    expect(Object.is(page.count, -0)).toBe(false);
  });
});

describe('page by cursor', () => {
  it.each<[object, string, number]>([
    [{ cursor: '' }, '', 100],
    [{ cursor: 'abc', count: '5' }, 'abc', 5],
    [{ cursor: 'abc', count: 5, startIndex: 'ten' }, 'abc', 5],
    [{ cursor: '', count: '-1' }, '', 0],
    [{ cursor: '', count: '0' }, '', 0],
    [{ cursor: '', count: '5000' }, '', 1000],
    [{ cursor: '', count: '' }, '', 100],
    [{ cursor: '', count: null }, '', 100],
  ])('is read from %j', (query, cursor, count) => {
    expect(readPage(query)).toEqual({ kind: 'cursor', cursor, count });
  });

  it.each([
    [{ cursor: '', count: 'all' }, 'invalidCount'],
    [{ cursor: '', count: '1.5' }, 'invalidCount'],
    [{ cursor: '', count: {} }, 'invalidCount'],
    [{ cursor: 7 }, 'invalidCursor'],
    [{ cursor: {} }, 'invalidCursor'],
    [{ cursor: true }, 'invalidCursor'],
  ])('is rejected for %j with %s', (query, scimType) => {
    expect(() => readPage(query)).toThrow(expect.objectContaining({ details: expect.objectContaining({ status: 400, scimType }) }));
  });
});

describe('list', () => {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  it.each([
    [
      'nothing',
      toListResponse([], { total: 0, startIndex: 1 }),
      { schemas, totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] },
    ],
    [
      'a page by index',
      toListResponse([{ id: 'a' }], { total: 7, startIndex: 3 }),
      { schemas, totalResults: 7, startIndex: 3, itemsPerPage: 1, Resources: [{ id: 'a' }] },
    ],
    [
      'a page by cursor',
      toListResponse([{ id: 'a' }], { total: 7, nextCursor: 'abc' }),
      { schemas, totalResults: 7, itemsPerPage: 1, nextCursor: 'abc', Resources: [{ id: 'a' }] },
    ],
    ['the last page by cursor', toListResponse([], {}), { schemas, itemsPerPage: 0, Resources: [] }],
  ])('contains %s', (_title, response, expected) => {
    expect(response).toEqual(expected);
    expect(Object.keys(response)).toEqual(Object.keys(expected));
  });
});
