import { z } from 'zod';
import { address, flag, port, positive, text } from './fields.ts';

export const databaseSettings = {
  DATABASE_URL: address(/^postgres(ql)?$/, 'an address like postgres://user:password@host:5432/database')
    .optional()
    .describe('Postgres address (14 or newer); if unset, `npm start` runs an embedded Postgres.'),
  MIGRATIONS: z
    .enum(['auto', 'manual'], 'auto or manual')
    .default('auto')
    .describe(
      'auto: each process migrates the database when it starts; manual: only `rollcall migrate` does, so that all other processes can use a role that cannot change the schema.',
    ),
  DATABASE_POOLER: z
    .enum(['transaction'], 'transaction, or unset')
    .optional()
    .describe(
      '`transaction` if DATABASE_URL is a pooler in transaction mode; the role then needs the settings that Rollcall prints at startup.',
    ),
  DATABASE_POOL_SIZE: positive
    .default(10)
    .describe('Maximum database connections per process; a quarter of them, at least one, is reserved for searches without an index.'),
  DATABASE_READ_URL: address(/^postgres(ql)?$/, 'an address like postgres://user:password@host:5432/database')
    .optional()
    .describe(
      'Address of a streaming replica that serves lists of the JSON API and the feed; if unset or unavailable, the primary serves them.',
    ),
  DATABASE_READ_MAX_LAG_MS: positive
    .max(60_000, 'at most 60000')
    .default(5_000)
    .describe(
      'Maximum time in milliseconds that the replica at DATABASE_READ_URL may be behind; if it lags more, the primary serves these reads.',
    ),
  SEARCH_TIMEOUT_MS: positive
    .min(100, 'at least 100')
    .max(60_000, 'at most 60000')
    .default(4_000)
    .describe(
      'Maximum time in milliseconds that a search or a list may run in the database; after that it is canceled and fails with 400 tooMany.',
    ),
  SEARCHES_PER_DIRECTORY: positive
    .max(100, 'at most 100')
    .default(1)
    .describe('Maximum concurrent searches without an index, per directory and process.'),
  SEARCHES_WAITING_PER_DIRECTORY: positive
    .max(1_000, 'at most 1000')
    .default(10)
    .describe('Maximum queued searches without an index, per directory and process; further ones get 429 with Retry-After.'),
  SNAPSHOTS: positive
    .max(20, 'at most 20')
    .default(2)
    .describe(
      'Maximum snapshots of directories that all processes together read at the same time, one per tenant; further ones get 503 with Retry-After. Each takes a connection beside those of DATABASE_POOL_SIZE.',
    ),
  SNAPSHOT_TIMEOUT_MS: positive
    .max(7_200_000, 'at most 7200000')
    // A migration waits for them, and gives up after five minutes.
    .default(240_000)
    .describe(
      'Maximum time in milliseconds that a snapshot may be read; after that it is canceled, because it holds back vacuum in Postgres, and migrations. Above 300000, a snapshot can make an upgrade fail.',
    ),
};

export const temporalSettings = {
  TEMPORAL_ADDRESS: text
    .regex(/^[^\s/]+:\d+$/, 'host:port')
    .optional()
    .describe('Temporal frontend as host:port; if unset, `npm start` runs an embedded Temporal.'),
  TEMPORAL_NAMESPACE: text.default('default').describe('Temporal namespace.'),
  TEMPORAL_UI_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe("Address of Temporal's UI; the console then links to the workflows of each directory."),
  TEMPORAL_UI_PORT: port
    .default(8233)
    .describe(
      "Port on 127.0.0.1 at which `npm start` shows its own Temporal's UI to administrators who are signed in to the console; 0: nowhere.",
    ),
  TEMPORAL_API_KEY: text.optional().describe('API key for Temporal Cloud; turns TLS on.'),
  TEMPORAL_TLS: flag.default(false).describe('Whether to connect to Temporal with TLS.'),
  TEMPORAL_TLS_CA_FILE: text.optional().describe('File with the CA certificate for the Temporal server; turns TLS on.'),
  TEMPORAL_TLS_CERT_FILE: text
    .optional()
    .describe('File with the client certificate for Temporal; requires TEMPORAL_TLS_KEY_FILE and turns TLS on.'),
  TEMPORAL_TLS_KEY_FILE: text.optional().describe('File with the private key for TEMPORAL_TLS_CERT_FILE.'),
  TEMPORAL_TLS_SERVER_NAME: text.optional().describe('Expected name in the Temporal server certificate, if it differs from the host name.'),
  TEMPORAL_BINARY: text
    .optional()
    .describe('Path of the temporal binary that `npm start` runs; if unset, Rollcall finds, downloads or builds one.'),
};
