import { readConfig, variables, type Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { RollcallOptions } from './rollcall-options.ts';

/** The settings that options stand for. */
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

const google = { clientId: 'DSYNC_GOOGLE_CLIENT_ID', clientSecret: 'DSYNC_GOOGLE_CLIENT_SECRET' } as const;
const others = ['google', 'onEvent', 'logTo', 'settings'];

/** Options are checked as the settings that they stand for. A name that nobody knows would otherwise do nothing, in silence. */
export function toConfig(options: RollcallOptions): Config {
  refuseUnknown('option', options, [...Object.keys(settingOf), ...others]);
  refuseUnknown('setting', options.settings ?? {}, Object.keys(variables.shape));
  const named = Object.entries(settingOf).map(([name, setting]) => [setting, toText(options[name as keyof typeof settingOf])]);
  const ofGoogle = Object.entries(google).map(([name, setting]) => [setting, options.google?.[name as keyof typeof google]]);
  const given = Object.fromEntries([...named, ...ofGoogle].filter(([, value]) => value !== undefined)) as Record<string, string>;
  return readConfig({ LOG_LEVEL: 'warn', ...options.settings, ...given }, 'library');
}

/** Whoever gave options knows them by their own names. */
export function inOptions(error: unknown): unknown {
  if (!(error instanceof StartupError)) return error;
  const message = Object.entries(settingOf).reduce(
    (text, [name, setting]) => text.replaceAll(new RegExp(`\\b${setting}\\b`, 'g'), name),
    error.message,
  );
  return new StartupError(message, { cause: error.cause });
}

const toText = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value);

function refuseUnknown(kind: string, given: object, known: string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    throw new StartupError(`rollcall() knows no ${kind} ${name}. ${meant ? `Did you mean ${meant}?` : `There are ${known.join(', ')}.`}`);
  }
}
