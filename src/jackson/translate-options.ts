import type { DestinationStream } from 'pino';
import { rejectUnknownField } from '../shared/unknown-fields.ts';
import { StartupError } from '../errors.ts';
import type { RollcallOptions, EventCallback as LibraryCallback } from '../library/index.ts';
import type { DatabaseOption, DirectorySyncOption, JacksonOption, Logger } from './options.ts';
import type { EventCallback } from './types.ts';

const rollcallOptions = [
  'databaseUrl',
  'dataDir',
  'encryptionKeys',
  'externalUrl',
  'temporalAddress',
  'temporalNamespace',
  'apiKeys',
  'google',
  'onEvent',
  'deliverWebhooks',
  'logLevel',
  'logTo',
  'settings',
] as const satisfies (keyof RollcallOptions)[];

const translated = {
  options: ['db', 'dsync', 'webhook', 'logger', 'scimPath'],
  db: ['engine', 'type', 'url', 'encryptionKey', 'ssl', 'driver'],
  dsync: ['callback', 'webhookBatchSize', 'webhookBatchCronInterval', 'webhookLogsTTL', 'providers'],
  google: ['clientId', 'clientSecret', 'cronInterval', 'authorizePath', 'callbackPath'],
};

/** Options of Polis about single sign-on, setup links and its storage. */
const ignored = {
  options: [
    'samlPath acsUrl oidcPath samlAudience preLoadedConnection idpEnabled clientSecretVerifier idpDiscoveryPath openid certs',
    'boxyhqLicenseKey noAnalytics setupLinkExpiryDays boxyhqHosted ssoTraces flattenRawClaims jsonErrorPage',
    'polisLicenseKey polisHosted authnRequestsSigned',
  ].flatMap((names) => names.split(' ')),
  db: ['ttl', 'cleanupLimit', 'pageLimit', 'manualMigration'],
  dsync: ['debugWebhooks', 'maxInlineGroupMembers'],
};

/** Translates the options of Polis. Options that cannot work are rejected; options that are not about directories are ignored. */
export function translateOptions(options: JacksonOption = {}): RollcallOptions {
  const { db, dsync, logger } = options;
  const google = dsync?.providers?.google;
  rejectUnknownField(options, [...rollcallOptions, ...translated.options, ...ignored.options]);
  rejectUnknownField(db, [...translated.db, ...ignored.db], 'db.');
  rejectUnknownField(dsync, [...translated.dsync, ...ignored.dsync], 'dsync.');
  rejectUnknownField(google, translated.google, 'dsync.providers.google.');
  assertPath('scimPath', options.scimPath, '/api/scim/v2.0');
  assertPath('dsync.providers.google.authorizePath', google?.authorizePath, '/api/scim/oauth/authorize');
  assertPath('dsync.providers.google.callbackPath', google?.callbackPath, '/api/scim/oauth/callback');
  if (!db && options.databaseUrl === undefined && options.dataDir === undefined) throw createDbRequiredError();
  const given = rollcallOptions.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  return {
    ...(db && options.databaseUrl === undefined && { databaseUrl: readDatabaseUrl(db) }),
    ...(db && options.encryptionKeys === undefined && { encryptionKeys: [readEncryptionKey(db.encryptionKey)] }),
    // As in Polis: without a callback, webhooks are sent.
    deliverWebhooks: dsync?.callback === undefined && options.onEvent === undefined,
    ...(dsync?.callback && { onEvent: toLibraryCallback(dsync.callback)! }),
    ...(logger && { logTo: writeToLogger(logger) }),
    ...(Object.fromEntries(given) as RollcallOptions),
    settings: { ...settingsOf(dsync, options.webhook), ...options.settings },
  };
}

function settingsOf(dsync: DirectorySyncOption = {}, webhook: JacksonOption['webhook'] = {}): Record<string, string> {
  const google = dsync.providers?.google;
  const settings = {
    DSYNC_GOOGLE_CLIENT_ID: google?.clientId,
    DSYNC_GOOGLE_CLIENT_SECRET: google?.clientSecret,
    DSYNC_GOOGLE_CRON_INTERVAL: google?.cronInterval,
    DSYNC_WEBHOOK_BATCH_SIZE: dsync.webhookBatchSize,
    DSYNC_WEBHOOK_BATCH_CRON_INTERVAL: dsync.webhookBatchCronInterval,
    DSYNC_WEBHOOK_LOGS_TTL: dsync.webhookLogsTTL,
    WEBHOOK_URL: webhook.endpoint,
    WEBHOOK_SECRET: webhook.secret,
  };
  return Object.fromEntries(Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
}

/** Identity providers and Google use these addresses, so they must be served. */
function assertPath(name: string, given: string | undefined, path: string): void {
  if (given === undefined || given.replace(/\/+$/, '') === path) return;
  throw new StartupError(`${name} ${given} is not supported: serve ${path}, and omit ${name} or set it to '${path}'.`);
}

/** The events are the same; only the types differ. A callback gets events that still have their content. */
export const toLibraryCallback = (callback: EventCallback | undefined) => callback as unknown as LibraryCallback | undefined;

const [warn, error] = [40, 50];

/** Writes each log line to a logger of Polis' form. */
const writeToLogger = (logger: Logger): DestinationStream => ({
  write(line) {
    const { level, msg, ...details } = JSON.parse(line) as { level: number; msg?: string };
    logger[level >= error ? 'error' : level >= warn ? 'warn' : 'info']?.(msg ?? '', details);
  },
});

const example = "{ engine: 'sql', type: 'postgres', url: 'postgres://user:password@host:5432/rollcall', encryptionKey: '…' }";

const createDbRequiredError = () => new StartupError(`db is required, for example db: ${example}.`);

function readDatabaseUrl({ engine = 'sql', type = 'postgres', url, ssl, driver }: DatabaseOption): string {
  if (driver !== undefined)
    throw new StartupError(`db.driver is not supported: Rollcall connects to Postgres itself, for example db: ${example}.`);
  if (engine !== 'sql' || type !== 'postgres')
    throw new StartupError(
      `db.${engine === 'sql' ? 'type' : 'engine'} ${engine === 'sql' ? type : engine} is not supported: Rollcall requires Postgres, for example db: ${example}.`,
    );
  if (!url || !/^postgres(ql)?:/.test(url) || !URL.canParse(url))
    throw new StartupError(`db.url must be a Postgres address, for example db: ${example}.`);
  return withTls(new URL(url), ssl);
}

function withTls(url: URL, ssl: DatabaseOption['ssl']): string {
  if (!ssl) return url.href;
  const other = ssl === true ? undefined : Object.keys(ssl).find((name) => name !== 'rejectUnauthorized');
  if (other !== undefined)
    throw new StartupError(
      `db.ssl.${other} is not supported: set it in db.url, for example …/rollcall?sslmode=verify-full&sslrootcert=/etc/ca.pem.`,
    );
  url.searchParams.set('sslmode', ssl !== true && ssl.rejectUnauthorized === false ? 'no-verify' : 'verify-full');
  return url.href;
}

/**
 * Polis uses 32 characters of text whose bytes are the key. The service reads the same database with these bytes in base64. Rollcall's own
 * form, 32 bytes in base64, is used as it is.
 */
function readEncryptionKey(key: string | undefined): string {
  if (key !== undefined && Buffer.byteLength(key) === 32) return Buffer.from(key).toString('base64');
  if (key !== undefined && /^[A-Za-z0-9+/]{43}=$/.test(key)) return key;
  throw new StartupError(
    'db.encryptionKey must have 32 characters (create one with `openssl rand -hex 16`): secrets are always stored encrypted.',
  );
}
