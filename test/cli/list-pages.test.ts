import { expect, it } from '@jest/globals';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { CommandError } from '../../src/cli/failures.ts';
import { listPages } from '../../src/cli/list-pages.ts';

const items = Array.from({ length: 2_500 }, (_, place) => place);

/** A service that has so many at most on a page. */
function createSource(atMost: number) {
  const asked: (number | undefined)[] = [];
  const fetchPage = async ({ pageLimit = 50, pageOffset = 0 }: { pageLimit?: number | undefined; pageOffset?: number | undefined }) => {
    asked.push(pageLimit);
    if (pageLimit > atMost) throw new CommandError(exitCodes.mistyped, 'This page would be too large.', 'pageLimit');
    return items.slice(pageOffset, pageOffset + pageLimit);
  };
  return { asked, fetchPage };
}

const refuse = () => Promise.reject(new CommandError(exitCodes.notFound, 'There is no such directory.'));

it('a list is one page, or all of them', async () => {
  const source = createSource(1_000);
  expect(await listPages(source.fetchPage, { limit: 3, offset: 10 })).toEqual([10, 11, 12]);
  expect(await listPages(source.fetchPage, { all: true })).toEqual(items);
  expect(source.asked).toEqual([3, 1_000, 1_000, 1_000]);
});

it('all of a list come in smaller pages where whole ones would be too large', async () => {
  const source = createSource(300);
  expect(await listPages(source.fetchPage, { all: true })).toEqual(items);
  expect(source.asked.slice(0, 3)).toEqual([1_000, 250, 250]);
});

it('a list fails with what the service says where not even one item fits, and where the page is not to blame', async () => {
  await expect(listPages(createSource(0).fetchPage, { all: true })).rejects.toThrow('too large');
  await expect(listPages(refuse, { all: true })).rejects.toThrow('no such directory');
});
