import type { DirectoryEvent } from '../client/index.ts';

/** A change, as a webhook delivers it. */
export type RollcallEvent = WithContent<DirectoryEvent>;

type WithContent<Event extends DirectoryEvent> = Event extends unknown ? Event & { data: NonNullable<Event['data']> } : never;

/** Its promise is awaited. */
export type EventCallback = (event: RollcallEvent) => unknown;

export interface RollcallOptions {
  /** `postgres://user:password@host:5432/database`. Default: an embedded Postgres in `dataDir`. */
  databaseUrl?: string | undefined;
  /** The folder of the embedded Postgres and its keys. Default: `.rollcall`. */
  dataDir?: string | undefined;
  /**
   * 32-byte keys in base64. The first one encrypts, all decrypt. With the embedded Postgres, a key is created and kept in `dataDir` by
   * default.
   */
  encryptionKeys?: readonly (string | undefined)[] | undefined;
  /** The public base address of your application; SCIM addresses start with it. */
  externalUrl?: string | undefined;
  /** `host:port`. If set, changes run as workflows and webhooks are delivered. Without it, changes are applied directly. */
  temporalAddress?: string | undefined;
  temporalNamespace?: string | undefined;
  /** Keys for the JSON API of `handler`. Without keys, the JSON API rejects all requests. */
  apiKeys?: readonly (string | undefined)[] | undefined;
  google?: { clientId: string | undefined; clientSecret: string | undefined } | undefined;
  /** Called with the events of every change that has no callback of its own. */
  onEvent?: EventCallback | undefined;
  /**
   * Without Temporal: how long events of a directory without a webhook are kept, such as `30d`, but at least `DSYNC_WEBHOOK_LOGS_TTL`.
   * Default: forever.
   */
  dropEventsAfter?: string | undefined;
  /** Minimum severity of log lines. Default: `warn`. */
  logLevel?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | undefined;
  /** Receives the log as lines of JSON. Default: standard output. */
  logTo?: { write(line: string): void } | undefined;
  /** Other settings by their name in `.env.example`, such as `{ WEBHOOK_TIMEOUT_MS: '5000' }`. */
  settings?: Record<string, string | undefined> | undefined;
}
