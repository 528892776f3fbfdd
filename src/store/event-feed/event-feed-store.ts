import type { Knex } from 'knex';
import type { EventFeedStore } from '../../directory/event-feed/feed.ts';
import { readDirectoryFeed } from './directory-feed.ts';
import { readFeedAcross } from './feed-across.ts';
import { lookForNews } from './look.ts';

export const createEventFeedStore = (db: Knex): EventFeedStore => ({
  readDirectory: (feed, request) => readDirectoryFeed(db, feed, request),
  readAcross: (feed, request) => readFeedAcross(db, feed, request),
  look: (waiting) => lookForNews(db, waiting),
});
