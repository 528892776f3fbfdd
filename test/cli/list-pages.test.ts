import { expect, it } from '@jest/globals';
import { createUnwrap } from '../../src/cli/errors.ts';
import type { ClientError } from '../../src/client/result.ts';
import { listPages } from '../../src/cli/list-pages.ts';

const items = Array.from({ length: 2_500 }, (_, place) => place);

/** A service with a maximum page size. */
function createSource(atMost: number) {
  const pageSizes: (number | undefined)[] = [];
  const fetchPage: Parameters<typeof listPages<number>>[1] = async ({ limit = 50, offset = 0, cursor }) => {
    pageSizes.push(limit);
    if (limit > atMost) return failure({ code: 'invalid_request', message: 'This page would be too large.', field: 'limit' });
    const from = cursor ? Number(cursor) : offset;
    const until = from + limit;
    return { data: items.slice(from, until), error: null, status: 200, next_cursor: until < items.length ? String(until) : null };
  };
  return { pageSizes, fetchPage };
}

const failure = (error: ClientError) => ({ data: null, error, status: 400 });
const unwrap = createUnwrap({
  flags: ['--limit'],
  baseUrl: 'http://localhost',
  keySource: '--api-key',
  exampleFor: () => 'rollcall users list',
});
const reject = () => Promise.resolve(failure({ code: 'not_found', message: 'There is no such directory.' }));

it('fetches one page, or all of them', async () => {
  const source = createSource(1_000);
  expect(await listPages(unwrap, source.fetchPage, { limit: 3, offset: 10 })).toEqual([10, 11, 12]);
  expect(await listPages(unwrap, source.fetchPage, { all: true })).toEqual(items);
  expect(source.pageSizes).toEqual([3, 1_000, 1_000, 1_000]);
});

it('falls back to smaller pages when whole ones would be too large', async () => {
  const source = createSource(300);
  expect(await listPages(unwrap, source.fetchPage, { all: true })).toEqual(items);
  expect(source.pageSizes.slice(0, 3)).toEqual([1_000, 250, 250]);
});

it('fails with the error of the service when one item is too large, and when the page size is not the cause', async () => {
  await expect(listPages(unwrap, createSource(0).fetchPage, { all: true })).rejects.toThrow('too large');
  await expect(listPages(unwrap, reject, { all: true })).rejects.toThrow('no such directory');
});
