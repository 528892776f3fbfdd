import { refuseMisspelt } from '../directory/refuse-misspelt.ts';
import { StartupError } from '../errors.ts';
import type { RollcallOptions } from '../library/index.ts';
import type { JacksonOption } from './options.ts';
import { readEncryptionKey } from './read-encryption-key.ts';

const exampleDb = "{ engine: 'sql', type: 'postgres', url: 'postgres://user:password@host:5432/rollcall', encryptionKey: '…' }";

/** Makes Rollcall's options of the ancestor's. What can't work is refused; what is not about directories is passed over. */
export function translateOptions(options: JacksonOption): RollcallOptions {
  const { db, dsync, webhook, scimPath, databaseUrl, encryptionKeys, externalUrl, temporalAddress, onEvent, log, settings } = options;
  refuseMisspelt(options, ['externalUrl', 'scimPath', 'webhook', 'dsync', 'databaseUrl', 'encryptionKeys', 'temporalAddress', 'onEvent']);
  refuseMisspelt(db, ['engine', 'type', 'url', 'encryptionKey', 'ssl'], 'db.');
  refuseMisspelt(dsync, ['callback', 'webhookBatchSize', 'webhookBatchCronInterval', 'providers'], 'dsync.');
  fixed('scimPath', scimPath, '/api/scim/v2.0');
  fixed('dsync.providers.google.authorizePath', dsync?.providers?.google?.authorizePath, '/api/scim/oauth/authorize');
  fixed('dsync.providers.google.callbackPath', dsync?.providers?.google?.callbackPath, '/api/scim/oauth/callback');
  const callback = onEvent ?? dsync?.callback;
  return {
    databaseUrl: databaseUrl ?? readDatabaseUrl(db),
    encryptionKeys: encryptionKeys ?? [readEncryptionKey(db?.encryptionKey)],
    ...(externalUrl !== undefined && { externalUrl }),
    ...(temporalAddress !== undefined && { temporalAddress }),
    ...(callback && { onEvent: callback }),
    ...(log && { log }),
    settings: { ...settingsOf({ dsync, webhook }), ...settings },
  } as RollcallOptions;
}

function readDatabaseUrl(db: JacksonOption['db']): string {
  if (db?.['driver'] !== undefined)
    throw new StartupError(`db.driver can't be used: Rollcall opens Postgres itself, for example db: ${exampleDb}.`);
  if ((db?.engine ?? 'sql') !== 'sql' || (db?.type ?? 'postgres') !== 'postgres')
    throw new StartupError(
      `db asks for ${[db?.engine, db?.type].filter(Boolean).join(', ')}, and Rollcall stores in Postgres only: give it one, for example db: ${exampleDb}.`,
    );
  if (!db?.url || !/^postgres(ql)?:/.test(db.url))
    throw new StartupError(`db.url must be the address of a Postgres, for example db: ${exampleDb}.`);
  return withTls(db.url, db.ssl);
}

function withTls(url: string, ssl: NonNullable<JacksonOption['db']>['ssl']): string {
  if (!ssl) return url;
  const others = ssl === true ? [] : Object.keys(ssl).filter((name) => name !== 'rejectUnauthorized');
  if (others.length > 0)
    throw new StartupError(
      `db.ssl.${others[0]} can't be used: say it in db.url, for example …/rollcall?sslmode=verify-full&sslrootcert=/etc/ca.pem.`,
    );
  const address = new URL(url);
  address.searchParams.set('sslmode', ssl !== true && ssl.rejectUnauthorized === false ? 'no-verify' : 'verify-full');
  return address.href;
}

function settingsOf({ dsync, webhook }: Pick<JacksonOption, 'dsync' | 'webhook'>): Record<string, string> {
  const google = dsync?.providers?.google;
  const pairs: [string, unknown][] = [
    ['DSYNC_GOOGLE_CLIENT_ID', google?.clientId],
    ['DSYNC_GOOGLE_CLIENT_SECRET', google?.clientSecret],
    ['DSYNC_GOOGLE_CRON_INTERVAL', google?.cronInterval],
    ['DSYNC_WEBHOOK_BATCH_SIZE', dsync?.webhookBatchSize],
    ['DSYNC_WEBHOOK_BATCH_CRON_INTERVAL', dsync?.webhookBatchCronInterval],
    ['WEBHOOK_URL', webhook?.endpoint],
    ['WEBHOOK_SECRET', webhook?.secret],
  ];
  return Object.fromEntries(pairs.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]])));
}

function fixed(name: string, given: string | undefined, path: string): void {
  if (given !== undefined && given.replace(/\/+$/, '') !== path)
    throw new StartupError(`${name} can't be ${given}: the address is always below ${path}, so serve that path, or leave ${name} out.`);
}
