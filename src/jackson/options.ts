import type { RollcallOptions } from '../library/index.ts';
import type { EventCallback } from './types.ts';

/** The ancestor's settings that mean something here, and Rollcall's own beside them; where both say something, Rollcall's own hold. */
export interface JacksonOption extends RollcallOptions {
  db?: DatabaseOption | undefined;
  dsync?: DirectorySyncOption | undefined;
  /** Where the operator is told of directories. */
  webhook?: { endpoint?: string | undefined; secret?: string | undefined } | undefined;
  logger?: Logger | undefined;
  /** Nothing but `/api/scim/v2.0`. */
  scimPath?: string | undefined;
  [passedOver: string]: unknown;
}

export interface DatabaseOption {
  /** Nothing but `sql`. */
  engine?: string | undefined;
  /** Nothing but `postgres`. */
  type?: string | undefined;
  url?: string | undefined;
  /** 32 characters, whose bytes are the key; or 32 bytes in base64. */
  encryptionKey?: string | undefined;
  ssl?: boolean | { rejectUnauthorized?: boolean } | undefined;
  [passedOver: string]: unknown;
}

export interface DirectorySyncOption {
  /** Receives the events of every change that has no callback of its own. */
  callback?: EventCallback | undefined;
  webhookBatchSize?: number | undefined;
  webhookBatchCronInterval?: number | undefined;
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
  /** Seconds between two readings of each directory. */
  cronInterval?: number | undefined;
  /** Nothing but `/api/scim/oauth/authorize`. */
  authorizePath?: string | undefined;
  /** Nothing but `/api/scim/oauth/callback`. */
  callbackPath?: string | undefined;
}
