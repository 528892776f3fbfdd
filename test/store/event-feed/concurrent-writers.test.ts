import { describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { DirectoryPlace, Place, TransactionPlace } from '../../../src/directory/feed/ports.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { everything, numbers, pageOf, sequences, setUpFeedStore, write, type FeedResult, type Written } from '../../support/feed-store.ts';
import { untilReadable } from '../../support/until-readable.ts';
import { createSeededRandom } from '../../support/seed.ts';
import { until } from '../../support/until.ts';

const random = createSeededRandom();
const feed = setUpFeedStore();
const { createDirectory, feeds } = feed;

/** Each transaction stays open for a different number of round trips, so that transactions commit in another order than they began. */
async function writeALot(pool: Knex, directoryIds: string[], changes: number): Promise<Written[]> {
  const committed: Written[] = [];
  const writer = async () => {
    for (let change = 0; change < changes; change += 1) {
      const trx = await pool.transaction();
      const directoryId = random.pick(directoryIds);
      // Assigns the transaction id now, before the transaction waits.
      await trx.raw('select pg_current_xact_id()');
      for (let trip = random.below(6); trip > 0; trip -= 1) await trx.raw('select 1');
      const written = await write(trx, directoryId, { count: 1 + random.below(3) });
      for (let trip = random.below(6); trip > 0; trip -= 1) await trx.raw('select 1');
      if (random.below(20) === 0) {
        await trx.rollback();
      } else {
        await trx.commit();
        committed.push(...written);
      }
    }
  };
  await Promise.all(Array.from({ length: 20 }, writer));
  return committed;
}

const key = ({ directoryId, sequence }: Written) => `${directoryId} ${sequence}`;

describe('with 20 writers whose transactions stay open for a while, and are sometimes rolled back', () => {
  it('neither feed skips or repeats an event', async () => {
    const pool = openDatabase(feed.url, { poolSize: 20 });
    const directoryIds = await Promise.all(Array.from({ length: 25 }, () => createDirectory()));
    let isWriting = true;
    const follow = async (read: (after: Place | undefined) => Promise<FeedResult>) => {
      const seen: Written[] = [];
      let place: Place | undefined;
      for (let isLast = false; ;) {
        const page = pageOf(await read(place));
        seen.push(...page.events.map(({ directory, sequence }) => ({ directoryId: directory.id, sequence })));
        ({ place } = page);
        if (isLast && !page.hasMore) return seen;
        isLast = !isWriting;
      }
    };
    const busiest = directoryIds[0]!;
    const following = [
      follow((after) => feed.store.readAcross(undefined, { order: 'asc', limit: 7, after: after as TransactionPlace | undefined })),
      follow((after) =>
        feed.store.readAcross({ tenant: 't', product: 'p' }, { order: 'asc', limit: 50, after: after as TransactionPlace | undefined }),
      ),
      follow((after) =>
        feed.store.readDirectory({ directoryId: busiest }, { order: 'asc', limit: 3, after: after as DirectoryPlace | undefined }),
      ),
    ];
    const writing = writeALot(pool, [...directoryIds, ...directoryIds.map(() => busiest)], 15);
    const committed = await writing.finally(async () => {
      await untilReadable(feed.db);
      isWriting = false;
    });
    const [all, ofOwner, ofOne] = await Promise.all(following);
    await pool.destroy();

    expect(committed.length).toBeGreaterThan(300);
    const expected = committed.map(key).sort();
    expect(all!.map(key).sort()).toEqual(expected);
    expect(ofOwner!.map(key).sort()).toEqual(expected);
    const ofBusiest = committed.filter(({ directoryId }) => directoryId === busiest).length;
    expect(ofOne!.map(({ sequence }) => sequence)).toEqual(numbers(1, ofBusiest));
  }, 180_000);
});

const across = (after?: TransactionPlace) => feed.store.readAcross(undefined, { ...everything, after });
it('the feed across directories withholds events while an earlier transaction is open', async () => {
  const [slow, quick] = [await createDirectory(), await createDirectory()];
  const open = await feed.db.transaction();
  await write(open, slow);
  await write(feed.db, quick);
  const before = pageOf(await across());
  expect(before.events).toEqual([]);
  expect(sequences(pageOf(await feeds['of one directory'](quick)))).toEqual([1]);
  await open.commit();
  await untilReadable(feed.db);
  const after = pageOf(await across(before.place as TransactionPlace));
  expect(after.events.map(({ directory }) => directory.id)).toEqual([slow, quick]);
});

it('does not wait for read-only transactions', async () => {
  const directoryId = await createDirectory();
  const reader = await feed.db.transaction();
  await reader.raw('select count(*) from directories');
  await write(feed.db, directoryId);
  await until(async () => pageOf(await feed.store.readAcross(undefined, { order: 'asc', limit: 50 })).events.length === 1);
  await reader.rollback();
});
