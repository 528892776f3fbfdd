import type { DestinationStream } from 'pino';
import { rejectUnknownField } from '../shared/unknown-fields.ts';
import { StartupError } from '../errors.ts';
import type { RollcallOptions, EventCallback as LibraryCallback } from '../library/index.ts';
import type { DirectorySyncOption, JacksonOption, Logger } from './options.ts';
import { createDbRequiredError, readDatabaseUrl, readEncryptionKey } from './read-database.ts';
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
  'logLevel',
  'logTo',
  'settings',
] as const satisfies (keyof RollcallOptions)[];

const translated = {
  options: ['db', 'dsync', 'webhook', 'logger', 'scimPath'],
  db: ['engine', 'type', 'url', 'encryptionKey', 'ssl', 'driver'],
  dsync: ['callback', 'webhookBatchSize', 'webhookBatchCronInterval', 'providers'],
  google: ['clientId', 'clientSecret', 'cronInterval', 'authorizePath', 'callbackPath'],
};

/** Options of Polis about single sign-on, setup links and its storage. */
const ignored = {
  options: [
    'samlPath acsUrl oidcPath samlAudience preLoadedConnection idpEnabled clientSecretVerifier idpDiscoveryPath openid certs',
    'boxyhqLicenseKey noAnalytics setupLinkExpiryDays boxyhqHosted ssoTraces flattenRawClaims jsonErrorPage',
  ].flatMap((names) => names.split(' ')),
  db: ['ttl', 'cleanupLimit', 'pageLimit', 'manualMigration'],
  dsync: ['debugWebhooks'],
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
