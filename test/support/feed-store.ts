import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Knex } from 'knex';
import type {
  DirectoryPlace,
  EventFeedStore,
  FeedGap,
  FeedPage,
  FeedRequest,
  Place,
  TransactionPlace,
} from '../../src/directory/feed/ports.ts';
import { newId } from '../../src/ids.ts';
import { createEventFeedStore } from '../../src/store/event-feed/event-feed-store.ts';
import { cloneDatabase } from './database.ts';
import { unlimitedReads } from './unlimited-reads.ts';
import { untilReadable } from './until-readable.ts';

export type Ask = Partial<FeedRequest>;
export type FeedResult = FeedPage | FeedGap | undefined;
type Read = (directoryId: string, ask?: Ask) => Promise<FeedResult>;

export const everything: FeedRequest = { order: 'asc', limit: 50 };

/** The feed store on a database for each file, which is empty before each test. */
export function setUpFeedStore() {
  const feed = {} as { db: Knex; url: string; store: EventFeedStore };
  let dropDatabase: () => Promise<void>;
  beforeAll(async () => {
    const database = await cloneDatabase();
    dropDatabase = database.drop;
    Object.assign(feed, { db: database.db, url: database.url, store: createEventFeedStore(unlimitedReads(database.db)) });
  });
  afterAll(() => dropDatabase());
  beforeEach(async () => {
    await feed.db('directories').delete();
    await feed.db('feed_horizon').update({ swept_txid: '0' });
  });

  async function createDirectory(owner: { tenant?: string; product?: string } = {}): Promise<string> {
    const id = newId();
    await feed.db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2', ...owner });
    return id;
  }

  /** Both feeds: of one directory, and of all. */
  const feeds: Record<'of one directory' | 'across directories', Read> = {
    'of one directory': (directoryId, ask) =>
      feed.store.readDirectory({ directoryId }, { ...everything, ...ask } as FeedRequest<DirectoryPlace>),
    'across directories': async (_directoryId, ask) => {
      await untilReadable(feed.db);
      return feed.store.readAcross(undefined, { ...everything, ...ask } as FeedRequest<TransactionPlace>);
    },
  };

  return Object.assign(feed, { createDirectory, feeds });
}

export interface Written {
  directoryId: string;
  sequence: number;
}
interface Writing {
  count?: number;
  type?: string;
  at?: Date;
  bytes?: number;
}

/** Writes events like a change: it updates the directory's row first, which assigns the sequence. */
export async function write(
  on: Knex,
  directoryId: string,
  { count = 1, type = 'user.created', at = new Date(), bytes = 1 }: Writing = {},
): Promise<Written[]> {
  const { rows } = await on.raw<{ rows: { sequence: number }[] }>(
    `with held as (
       update directories set last_sequence = last_sequence + cast(:count as int) where id = :directoryId returning id, last_sequence
     )
     insert into events (directory_id, sequence, id, type, data, occurred_at)
     select id, last_sequence - :count + n, gen_random_uuid(), :type, jsonb_build_object('n', n, 'x', repeat('x', cast(:bytes as int))), :at
     from held, generate_series(1, cast(:count as int)) n returning sequence`,
    { directoryId, count, type, at, bytes },
  );
  return rows.map(({ sequence }) => ({ directoryId, sequence }));
}

const isPage = (response: FeedResult): response is FeedPage => response !== undefined && 'events' in response;
export function pageOf(response: FeedResult): FeedPage {
  if (!isPage(response)) throw new Error(`no page: ${JSON.stringify(response)}`);
  return response;
}

export const sequences = ({ events }: FeedPage) => events.map(({ sequence }) => sequence);
export const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Reads everything from a place on, page by page. */
export async function walk(read: (after: Place | undefined) => Promise<FeedResult>) {
  const pages: FeedPage[] = [];
  for (let place: Place | undefined; ; { place } = pages.at(-1)!) {
    pages.push(pageOf(await read(place)));
    if (!pages.at(-1)!.hasMore) break;
  }
  return { pages, place: pages.at(-1)!.place, events: pages.flatMap(({ events }) => events) };
}
