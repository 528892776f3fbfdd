import { address, positive } from './fields.ts';

export const databaseSettings = {
  DATABASE_URL: address(/^postgres(ql)?$/, 'an address like postgres://user:password@host:5432/database')
    .optional()
    .describe('Postgres address (14 or newer); if unset, `npm start` runs an embedded Postgres.'),
  DATABASE_POOL_SIZE: positive
    .default(10)
    .describe('Maximum database connections per process; a quarter of them, at least one, is reserved for searches without an index.'),
  SEARCH_TIMEOUT_MS: positive
    .min(100, 'at least 100')
    .max(60_000, 'at most 60000')
    .default(4_000)
    .describe(
      'Maximum time in milliseconds that a search or a list may run in the database; after that it is cancelled and fails with 400 tooMany.',
    ),
  SEARCHES_PER_DIRECTORY: positive
    .max(100, 'at most 100')
    .default(1)
    .describe('Maximum concurrent searches without an index, per directory and process.'),
  SEARCHES_WAITING_PER_DIRECTORY: positive
    .max(1_000, 'at most 1000')
    .default(10)
    .describe('Maximum queued searches without an index, per directory and process; further ones get 429 with Retry-After.'),
};
