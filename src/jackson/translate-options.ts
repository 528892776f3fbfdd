import { rejectUnknownField } from '../shared/unknown-fields.ts';
import { StartupError } from '../errors.ts';
import type { RollcallOptions } from '../library/index.ts';
import type { DirectorySyncOption, JacksonOption } from './options.ts';
import { dbIsNeeded, readDatabaseUrl, readEncryptionKey } from './read-database.ts';
import { toLibraryCallback } from './to-library-callback.ts';
import { writeToLogger } from './write-to-logger.ts';

const own = [
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

/** About single sign-on, setup links and the ancestor's way to store. */
const passedOver = {
  options: [
    'samlPath acsUrl oidcPath samlAudience preLoadedConnection idpEnabled clientSecretVerifier idpDiscoveryPath openid certs',
    'boxyhqLicenseKey noAnalytics setupLinkExpiryDays boxyhqHosted ssoTraces flattenRawClaims jsonErrorPage',
  ].flatMap((names) => names.split(' ')),
  db: ['ttl', 'cleanupLimit', 'pageLimit', 'manualMigration'],
  dsync: ['debugWebhooks'],
};

/** Makes Rollcall's options of the ancestor's. What can't work is refused; what is not about directories is passed over. */
export function translateOptions(options: JacksonOption = {}): RollcallOptions {
  const { db, dsync, logger } = options;
  const google = dsync?.providers?.google;
  rejectUnknownField(options, [...own, ...translated.options, ...passedOver.options]);
  rejectUnknownField(db, [...translated.db, ...passedOver.db], 'db.');
  rejectUnknownField(dsync, [...translated.dsync, ...passedOver.dsync], 'dsync.');
  rejectUnknownField(google, translated.google, 'dsync.providers.google.');
  refuseOtherPath('scimPath', options.scimPath, '/api/scim/v2.0');
  refuseOtherPath('dsync.providers.google.authorizePath', google?.authorizePath, '/api/scim/oauth/authorize');
  refuseOtherPath('dsync.providers.google.callbackPath', google?.callbackPath, '/api/scim/oauth/callback');
  if (!db && options.databaseUrl === undefined && options.dataDir === undefined) throw dbIsNeeded();
  const given = own.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
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

/** Providers and Google know these addresses, so they must be the ones that are answered. */
function refuseOtherPath(name: string, given: string | undefined, path: string): void {
  if (given === undefined || given.replace(/\/+$/, '') === path) return;
  throw new StartupError(`${name} can't be ${given} here: serve ${path}, and leave ${name} out or set it to '${path}'.`);
}
