import { readConfig, type Config, type variables } from '../config.ts';
import type { EventCallback } from './event-handover.ts';

export interface RollcallOptions {
  /** `postgres://user:password@host:5432/database`. Without it Rollcall runs a Postgres of its own in `dataDir`. */
  databaseUrl?: string;
  /** Where its own Postgres and its keys are kept; `.rollcall` if nothing is said. */
  dataDir?: string;
  /** 32 bytes each, in base64. The first one encrypts, all decrypt. Made and kept in `dataDir` where Postgres is its own. */
  encryptionKeys?: string[];
  /** Under which identity providers reach your application; SCIM addresses begin with it. */
  externalUrl?: string;
  /** `host:port`. With it changes are workflows and webhooks are delivered; without it changes are applied directly. */
  temporalAddress?: string;
  temporalNamespace?: string;
  /** What opens the JSON API of `handler`; without keys it is closed. */
  apiKeys?: string[];
  google?: { clientId: string; clientSecret: string };
  /** Receives the events of every change that has no callback of its own. */
  onEvent?: EventCallback;
  /** Least severe line of the log; `warn` if nothing is said. */
  logLevel?: Config['logLevel'];
  /** Where the log goes, line by line, as JSON; standard output if nothing is said. */
  logTo?: { write(line: string): void };
  /** Any other setting by its name in `.env.example`, like `{ WEBHOOK_TIMEOUT_MS: '5000' }`. */
  settings?: Partial<Record<keyof typeof variables.shape, string>>;
}

/** Options stand for settings, and are checked as such. */
export function toConfig(options: RollcallOptions): Config {
  const { google, encryptionKeys, apiKeys } = options;
  const named: Record<string, string | undefined> = {
    LOG_LEVEL: options.logLevel ?? 'warn',
    DATABASE_URL: options.databaseUrl,
    ROLLCALL_DATA_DIR: options.dataDir,
    ENCRYPTION_KEYS: encryptionKeys?.join(','),
    EXTERNAL_URL: options.externalUrl,
    TEMPORAL_ADDRESS: options.temporalAddress,
    TEMPORAL_NAMESPACE: options.temporalNamespace,
    API_KEYS: apiKeys?.join(','),
    DSYNC_GOOGLE_CLIENT_ID: google?.clientId,
    DSYNC_GOOGLE_CLIENT_SECRET: google?.clientSecret,
  };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return readConfig({ ...options.settings, ...given }, 'library');
}
