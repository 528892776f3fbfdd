import { expect, it } from '@jest/globals';
import { createFairLookup, type LookupAll } from '../../src/webhooks/fair-lookup.ts';

function createNameServer() {
  const lookups: string[] = [];
  const silent = new Map<string, () => void>();
  const lookup: LookupAll = (hostname, _options, callback) => {
    lookups.push(hostname);
    const response = () => callback(null, [{ address: '192.0.2.1', family: 4 }]);
    if (hostname.startsWith('silent')) silent.set(hostname, response);
    else queueMicrotask(response);
  };
  return { lookups, silent, lookup };
}

const find = (lookup: LookupAll, hostname: string) =>
  new Promise<number>((resolve) => lookup(hostname, { all: true }, (_error, addresses) => resolve(addresses.length)));

it('lets known names resolve while others get no response', async () => {
  const { lookups, silent, lookup } = createNameServer();
  const fair = createFairLookup({ lookup, maxUnknownLookups: 2 });
  expect(await find(fair, 'good.example')).toBe(1);
  const pending = ['silent-1', 'silent-2', 'silent-3', 'silent-4'].map((name) => find(fair, name));
  expect(await find(fair, 'good.example')).toBe(1);
  expect(lookups).toEqual(['good.example', 'silent-1', 'silent-2', 'good.example']);
  const stranger = find(fair, 'new.example');
  for (const name of ['silent-1', 'silent-2', 'silent-3', 'silent-4']) silent.get(name)!();
  expect(await Promise.all([...pending, stranger])).toEqual([1, 1, 1, 1, 1]);
});

it('looks up a name once at a time, however many callers there are', async () => {
  const { lookups, silent, lookup } = createNameServer();
  const fair = createFairLookup({ lookup });
  const found = Promise.all([1, 2, 3].map(() => find(fair, 'silent')));
  silent.get('silent')!();
  expect(await found).toEqual([1, 1, 1]);
  expect(lookups).toEqual(['silent']);
});

it('forgets a name that has become slow', async () => {
  const { lookups, silent, lookup } = createNameServer();
  let nowMs = 0;
  const fair = createFairLookup({ lookup, maxUnknownLookups: 1, now: () => nowMs });
  const first = find(fair, 'silent-a');
  nowMs = 5_000;
  silent.get('silent-a')!();
  await first;
  const stuck = find(fair, 'silent-b');
  const again = find(fair, 'silent-a');
  expect(lookups).toEqual(['silent-a', 'silent-b']);
  silent.get('silent-b')!();
  silent.get('silent-a')!();
  expect(await Promise.all([stuck, again])).toEqual([1, 1]);
});
