import { expect, it } from '@jest/globals';
import type { EventRange } from '../../../src/directory/delivery/ports.ts';
import { newId } from '../../../src/ids.ts';
import { shareReads } from '../../../src/store/deliveries/read-events.ts';
import { setUpDrain } from '../../support/drain.ts';

const drained = setUpDrain();
const { push } = drained;

/** Directories with these numbers of events. */
async function createDirectories(counts: number[]): Promise<string[]> {
  const ids = counts.map(newId);
  for (const [index, id] of ids.entries()) {
    await drained.db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
    drained.directoryId = id;
    if (counts[index]! > 0) await push(counts[index]!);
  }
  return ids;
}

const all = { after: 0, upTo: 100, limit: 100, maxBytes: 1_000_000 };

it('reads the ranges of several directories with one statement, each within its own limits', async () => {
  const [first, second, empty] = await createDirectories([4, 3, 0]);
  const { events: whole } = await drained.store.readEvents(first!, all);
  const ranges: EventRange[] = [
    { directoryId: first!, ...all, after: 1, upTo: 3 },
    { directoryId: second!, ...all, limit: 2 },
    { directoryId: empty!, ...all },
    { directoryId: first!, ...all, maxBytes: whole[0]!.bytes },
    { directoryId: second!, ...all, maxBytes: 1 },
  ];
  const found = await drained.store.readRanges(ranges);
  expect(found.map(({ events }) => events.map(({ sequence }) => sequence))).toEqual([[2, 3], [1, 2], [], [1], []]);
  expect(found.map(({ firstBytes }) => firstBytes)).toEqual([undefined, undefined, undefined, undefined, expect.any(Number)]);
  expect(found[0]!.events).toEqual(whole.slice(1, 3));
  for (const [index, { directoryId, ...range }] of ranges.entries())
    expect(await drained.store.readEvents(directoryId, range)).toEqual(found[index]);
});

it('shares a statement between lanes that read at the same time', async () => {
  const ids = await createDirectories([2, 2, 2, 2, 2]);
  const sizes: number[] = [];
  const read = shareReads({
    ...drained.store,
    readRanges(ranges) {
      sizes.push(ranges.length);
      return drained.store.readRanges(ranges);
    },
  });
  const found = await Promise.all(ids.map((id) => read(id, all)));
  expect(sizes).toEqual([1, 4]);
  expect(found.map(({ events }) => events.map(({ sequence }) => sequence))).toEqual(ids.map(() => [1, 2]));
});

it('reads a bounded number of lanes and bytes with one statement', async () => {
  const sizes: number[] = [];
  const read = shareReads({
    ...drained.store,
    readRanges(ranges) {
      sizes.push(ranges.length);
      return Promise.resolve(ranges.map(() => ({ events: [], firstBytes: undefined })));
    },
  });
  await Promise.all(Array.from({ length: 101 }, () => read(newId(), { ...all, maxBytes: 1_000 })));
  expect(sizes.splice(0)).toEqual([1, 64, 36]);
  await Promise.all(Array.from({ length: 11 }, () => read(newId(), all)));
  expect(sizes).toEqual([1, 8, 2]);
});

it('reads for each lane alone after a shared statement failed', async () => {
  const ids = await createDirectories([1, 2, 3]);
  const read = shareReads({ ...drained.store, readRanges: () => Promise.reject(new Error('failed')) });
  const found = await Promise.all(ids.map((id) => read(id, all)));
  expect(found.map(({ events }) => events.length)).toEqual([1, 2, 3]);
});
