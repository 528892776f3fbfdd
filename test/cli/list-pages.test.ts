import { expect, it } from '@jest/globals';
import { CommandError, exitCodes } from '../../src/cli/errors.ts';
import { listPages } from '../../src/cli/list-pages.ts';

const items = Array.from({ length: 2_500 }, (_, place) => place);

/** A service with a maximum page size. */
function createSource(atMost: number) {
  const pageSizes: (number | undefined)[] = [];
  const fetchPage = async ({ pageLimit = 50, pageOffset = 0 }: { pageLimit?: number | undefined; pageOffset?: number | undefined }) => {
    pageSizes.push(pageLimit);
    if (pageLimit > atMost) throw new CommandError(exitCodes.usage, 'This page would be too large.', 'limit');
    return items.slice(pageOffset, pageOffset + pageLimit);
  };
  return { pageSizes, fetchPage };
}

const reject = () => Promise.reject(new CommandError(exitCodes.notFound, 'There is no such directory.'));

it('fetches one page, or all of them', async () => {
  const source = createSource(1_000);
  expect(await listPages(source.fetchPage, { limit: 3, offset: 10 })).toEqual([10, 11, 12]);
  expect(await listPages(source.fetchPage, { all: true })).toEqual(items);
  expect(source.pageSizes).toEqual([3, 1_000, 1_000, 1_000]);
});

it('falls back to smaller pages when whole ones would be too large', async () => {
  const source = createSource(300);
  expect(await listPages(source.fetchPage, { all: true })).toEqual(items);
  expect(source.pageSizes.slice(0, 3)).toEqual([1_000, 250, 250]);
});

it('fails with the error of the service when one item is too large, and when the page size is not the cause', async () => {
  await expect(listPages(createSource(0).fetchPage, { all: true })).rejects.toThrow('too large');
  await expect(listPages(reject, { all: true })).rejects.toThrow('no such directory');
});
