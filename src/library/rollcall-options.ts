import type { DirectoryEvent } from '../client/index.ts';

/** What has changed, as a webhook would tell it. */
export type RollcallEvent = WithContent<DirectoryEvent>;

type WithContent<Event extends DirectoryEvent> = Event extends unknown ? Event & { data: NonNullable<Event['data']> } : never;

/** Its promise is waited for. */
export type EventCallback = (event: RollcallEvent) => unknown;

export interface RollcallOptions {
  /** `postgres://user:password@host:5432/database`. Without it Rollcall runs a Postgres of its own in `dataDir`. */
  databaseUrl?: string | undefined;
  /** Where its own Postgres and its keys are kept; `.rollcall` if nothing is said. */
  dataDir?: string | undefined;
  /** 32 bytes each, in base64. The first one encrypts, all decrypt. Made and kept in `dataDir` where Postgres is its own. */
  encryptionKeys?: readonly (string | undefined)[] | undefined;
  /** Under which identity providers reach your application; SCIM addresses begin with it. */
  externalUrl?: string | undefined;
  /** `host:port`. With it changes are workflows and webhooks are delivered; without it changes are applied directly. */
  temporalAddress?: string | undefined;
  temporalNamespace?: string | undefined;
  /** What opens the JSON API of `handler`; without keys it is closed. */
  apiKeys?: readonly (string | undefined)[] | undefined;
  google?: { clientId: string | undefined; clientSecret: string | undefined } | undefined;
  /** Receives the events of every change that has no callback of its own. */
  onEvent?: EventCallback | undefined;
  /**
   * Without Temporal: for how long events of a directory without a webhook are kept, like `30d`, though not less than
   * `DSYNC_WEBHOOK_LOGS_TTL`. Without it they are kept for ever.
   */
  dropEventsAfter?: string | undefined;
  /** Least severe line of the log; `warn` if nothing is said. */
  logLevel?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | undefined;
  /** Where the log goes, line by line, as JSON; standard output if nothing is said. */
  logTo?: { write(line: string): void } | undefined;
  /** Any other setting by its name in `.env.example`, like `{ WEBHOOK_TIMEOUT_MS: '5000' }`. */
  settings?: Record<string, string | undefined> | undefined;
}
