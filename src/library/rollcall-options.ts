import type { DirectoryEvent } from '../client/index.ts';
import { type Config, readConfig, variables } from '../config.ts';
import { StartupError } from '../errors.ts';
import { findClosest, suggest } from '../shared/suggest.ts';
import { parseDuration } from '../shared/parse-duration.ts';

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
  /** The application that reads directories of type `entra`. */
  entra?: { clientId: string | undefined; clientSecret?: string | undefined; certificateFile?: string | undefined } | undefined;
  /** Called with the events of every change that has no callback of its own. */
  onEvent?: EventCallback | undefined;
  /**
   * Without Temporal: how long events of a directory without a webhook are kept, such as `30d`, but at least `DSYNC_WEBHOOK_LOGS_TTL`.
   * Default: forever.
   */
  dropEventsAfter?: string | undefined;
  /**
   * Without Temporal: whether this process delivers webhooks, from the same queue in Postgres and with the same retries. Default: false; with
   * Temporal they are always delivered.
   */
  deliverWebhooks?: boolean | undefined;
  /** Minimum severity of log lines. Default: `warn`. */
  logLevel?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | undefined;
  /** Receives the log as lines of JSON. Default: standard output. */
  logTo?: { write(line: string): void } | undefined;
  /** Other settings by their name in `.env.example`, such as `{ WEBHOOK_TIMEOUT_MS: '5000' }`. */
  settings?: Record<string, string | undefined> | undefined;
}

type OptionRule = [isValid: (value: unknown) => boolean, expected: string];

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
const isTexts = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isText);
const isFunction = (value: unknown) => typeof value === 'function';
const isFlag = (value: unknown) => typeof value === 'boolean';
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The type of each option. Values are validated as the settings that the options correspond to. */
const options: Record<keyof RollcallOptions, OptionRule> = {
  databaseUrl: [isText, "an address, like 'postgres://user:password@host:5432/database'"],
  dataDir: [isText, "a folder, like '.rollcall'"],
  encryptionKeys: [isTexts, 'a list of keys from `openssl rand -base64 32`, like [process.env.ENCRYPTION_KEY]'],
  externalUrl: [isText, "an address, like 'https://app.example'"],
  temporalAddress: [isText, "an address, like '127.0.0.1:7233'"],
  temporalNamespace: [isText, "a name, like 'default'"],
  apiKeys: [isTexts, 'a list of keys, like [process.env.ROLLCALL_API_KEY]'],
  google: [isObject, 'the client ID and secret, like { clientId: "…", clientSecret: "…" }'],
  entra: [isObject, 'the client ID and secret, like { clientId: "…", clientSecret: "…" }'],
  onEvent: [isFunction, 'a function, like async (event) => { … }'],
  dropEventsAfter: [(value) => isText(value) && parseDuration(value as string) !== undefined, "a duration, like '30d' or '720h'"],
  deliverWebhooks: [isFlag, 'true or false'],
  logLevel: [isText, "a level, like 'warn'"],
  logTo: [
    (value) => isObject(value) && isFunction((value as { write?: unknown }).write),
    'an object with a write function, like process.stderr',
  ],
  settings: [isObject, "settings by name, like { WEBHOOK_TIMEOUT_MS: '5000' }"],
};

/** The settings that options correspond to. */
const settingOf = {
  databaseUrl: 'DATABASE_URL',
  dataDir: 'ROLLCALL_DATA_DIR',
  encryptionKeys: 'ENCRYPTION_KEYS',
  externalUrl: 'EXTERNAL_URL',
  temporalAddress: 'TEMPORAL_ADDRESS',
  temporalNamespace: 'TEMPORAL_NAMESPACE',
  apiKeys: 'API_KEYS',
  logLevel: 'LOG_LEVEL',
} as const;

const googleSettings = { clientId: 'DSYNC_GOOGLE_CLIENT_ID', clientSecret: 'DSYNC_GOOGLE_CLIENT_SECRET' } as const;

const entraSettings = {
  clientId: 'DSYNC_ENTRA_CLIENT_ID',
  clientSecret: 'DSYNC_ENTRA_CLIENT_SECRET',
  certificateFile: 'DSYNC_ENTRA_CERTIFICATE_FILE',
} as const;

/** Rejects unknown names and undefined variables, which would otherwise be ignored silently. */
export function toConfig(given: RollcallOptions): Config {
  if (!isObject(given)) throw createOptionError('options', 'must be an object', "rollcall({ databaseUrl: 'postgres://…' })");
  rejectUnknown('option', given, Object.keys(options));
  rejectUnknown('setting', given.settings ?? {}, Object.keys(variables.shape));
  rejectUnknown('google option', given.google ?? {}, Object.keys(googleSettings));
  rejectUnknown('entra option', given.entra ?? {}, Object.keys(entraSettings));
  for (const [name, [isValid, expected]] of Object.entries(options)) {
    const value = given[name as keyof RollcallOptions];
    // Omitted options have defaults. But an undefined `databaseUrl` must not select another database.
    const isLeftOut = name === 'databaseUrl' || name === 'encryptionKeys' ? !(name in given) : value === undefined;
    if (!isLeftOut && !isValid(value))
      throw new StartupError(`rollcall(): ${name} must be ${expected}${value === undefined ? ', not undefined' : ''}.`);
  }
  if (given.databaseUrl !== undefined && given.encryptionKeys === undefined)
    throw createOptionError(
      'encryptionKeys',
      'is required with databaseUrl to encrypt secrets. Create one with `openssl rand -base64 32` and keep it',
      'encryptionKeys: [process.env.ENCRYPTION_KEY]',
    );
  if (given.databaseUrl !== undefined && given.externalUrl === undefined && given.settings?.['EXTERNAL_URL'] === undefined)
    throw createOptionError(
      'externalUrl',
      'is required with databaseUrl: SCIM addresses start with it',
      "externalUrl: 'https://app.example'",
    );
  const named = Object.entries(settingOf).map(([name, setting]) => [setting, toText(given[name as keyof typeof settingOf])]);
  const ofGoogle = Object.entries(googleSettings).map(([name, setting]) => [setting, given.google?.[name as keyof typeof googleSettings]]);
  const ofEntra = Object.entries(entraSettings).map(([name, setting]) => [setting, given.entra?.[name as keyof typeof entraSettings]]);
  const fromOptions = Object.fromEntries([...named, ...ofGoogle, ...ofEntra].filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  return readConfig({ LOG_LEVEL: 'warn', ...given.settings, ...fromOptions }, 'library');
}

/** Replaces the names of settings by those of options in an error message. */
export function toOptionNames(error: unknown): unknown {
  if (!(error instanceof StartupError)) return error;
  const message = Object.entries(settingOf).reduce(
    (text, [name, setting]) => text.replaceAll(new RegExp(`\\b${setting}\\b`, 'g'), name),
    error.message,
  );
  return new StartupError(message, { cause: error.cause });
}

const toText = (value: string | readonly (string | undefined)[] | undefined) => (Array.isArray(value) ? value.join(',') : value);

const createOptionError = (name: string, sentence: string, example: string) =>
  new StartupError(`rollcall(): ${name} ${sentence}, like ${example}.`);

function rejectUnknown(kind: string, given: object, known: string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    throw new StartupError(`rollcall(): unknown ${kind} ${name}.${suggest(findClosest(name, known)) || ` Known: ${known.join(', ')}.`}`);
  }
}
