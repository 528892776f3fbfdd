import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../config.ts';
import { readEncryptionKeys } from '../../config/server.ts';
import { findRunningTemporal } from '../../embedded/running-address.ts';
import { findRunningPostgres } from '../../embedded/running-postgres.ts';
import type { TemporalAccess } from '../../temporal/connect.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failures.ts';
import { readSettings } from '../read-settings.ts';

export interface KeyPlace {
  encryptionKeys: Buffer[];
  /** Where the keys stand, for a person. */
  keysIn: string;
  databaseUrl: string;
  temporal: TemporalAccess | undefined;
}

/** The keys, the database and the Temporal that the service uses with these settings. */
export async function findKeyPlace(env: NodeJS.ProcessEnv, withoutTemporal: boolean): Promise<KeyPlace> {
  readSettings();
  const { dataDir, database, temporal, encryptionKeys } = readConfig(env, 'start');
  const keyFile = join(dataDir, 'encryption-key');
  const databaseUrl = database.url ?? (await findRunningPostgres(dataDir))?.url;
  if (databaseUrl === undefined)
    throw new CommandError(
      exitCodes.tryAgain,
      `No service runs in ${dataDir}: start it, since it has to renew its workflows, or set DATABASE_URL. Nothing was changed.`,
    );
  const address = withoutTemporal ? undefined : (temporal.address ?? (await findRunningTemporal(dataDir)));
  if (address === undefined && !withoutTemporal)
    throw new CommandError(
      exitCodes.failed,
      'TEMPORAL_ADDRESS is not set, and no service with a Temporal of its own runs here: set it, or use --without-temporal if only the library uses this database. Nothing was changed.',
    );
  return {
    encryptionKeys: encryptionKeys ?? readEncryptionKeys(await readKeyFile(keyFile), keyFile),
    keysIn: encryptionKeys ? 'ENCRYPTION_KEYS' : keyFile,
    databaseUrl,
    temporal: address === undefined ? undefined : { ...temporal, address },
  };
}

const readKeyFile = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(exitCodes.failed, `${file} can't be read (${error.code}): put it back, or set ENCRYPTION_KEYS.`);
  });
