import { address, positive } from './fields.ts';

/** Postgres, and searches in it. */
export const databaseSettings = {
  DATABASE_URL: address(/^postgres(ql)?$/, 'an address like postgres://user:password@host:5432/database')
    .optional()
    .describe('Postgres 14 or newer; `npm start` runs its own without it.'),
  DATABASE_POOL_SIZE: positive
    .default(10)
    .describe('Most database connections that one process opens; a quarter of them, at least one, is for searches that no index serves.'),
  SEARCH_TIMEOUT_MS: positive
    .min(100, 'at least 100')
    .max(60_000, 'at most 60000')
    .default(4_000)
    .describe('Longest time in milliseconds that a search or a list may run in the database; then it is cancelled, and gets 400 tooMany.'),
  SEARCHES_PER_DIRECTORY: positive
    .max(100, 'at most 100')
    .default(1)
    .describe('Most searches that no index serves which run at once for one directory, in one process.'),
  SEARCHES_WAITING_PER_DIRECTORY: positive
    .max(1_000, 'at most 1000')
    .default(10)
    .describe('Most of these searches that wait for their turn for one directory, in one process; one more gets 429 and Retry-After.'),
};
