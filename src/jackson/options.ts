import type { RollcallOptions } from '../library/index.ts';
import type { EventCallback } from './types.ts';

/** The settings of Ory Polis (BoxyHQ Jackson) that apply here, and Rollcall's own options. Rollcall's own options take precedence. */
export interface JacksonOption extends RollcallOptions {
  db?: DatabaseOption | undefined;
  dsync?: DirectorySyncOption | undefined;
  /** Webhook for operator events about directories. */
  webhook?: { endpoint?: string | undefined; secret?: string | undefined } | undefined;
  logger?: Logger | undefined;
  /** Must be `/api/scim/v2.0`. */
  scimPath?: string | undefined;
  [passedOver: string]: unknown;
}

export interface DatabaseOption {
  /** Must be `sql`. */
  engine?: string | undefined;
  /** Must be `postgres`. */
  type?: string | undefined;
  url?: string | undefined;
  /** 32 characters whose bytes are the key, or 32 bytes in base64. */
  encryptionKey?: string | undefined;
  ssl?: boolean | { rejectUnauthorized?: boolean } | undefined;
  [passedOver: string]: unknown;
}

export interface DirectorySyncOption {
  /** Called with the events of every change that has no callback of its own. */
  callback?: EventCallback | undefined;
  webhookBatchSize?: number | undefined;
  webhookBatchCronInterval?: number | undefined;
  /** How long the log of webhooks is kept, such as `30d`; empty keeps it forever. */
  webhookLogsTTL?: string | undefined;
  providers?: { google?: GoogleOption | undefined } | undefined;
  [passedOver: string]: unknown;
}

export interface Logger {
  info?: ((message: string, details?: unknown) => void) | undefined;
  warn?: ((message: string, details?: unknown) => void) | undefined;
  error?: ((message: string, details?: unknown) => void) | undefined;
}

interface GoogleOption {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** Seconds between two syncs of each directory. */
  cronInterval?: number | undefined;
  /** Must be `/api/scim/oauth/authorize`. */
  authorizePath?: string | undefined;
  /** Must be `/api/scim/oauth/callback`. */
  callbackPath?: string | undefined;
}
