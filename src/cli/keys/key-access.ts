import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../config.ts';
import { readEncryptionKeys } from '../../config/server.ts';
import { findRunningPostgres, findRunningTemporal } from '../../embedded/running-servers.ts';
import type { TemporalAccess } from '../../temporal/connect.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../errors.ts';
import { loadEnvFile } from '../shell.ts';

export interface KeyAccess {
  encryptionKeys: Buffer[];
  /** For people: where the keys were found. */
  keySource: string;
  databaseUrl: string;
  temporal: TemporalAccess | undefined;
}

/** Finds the keys, the database and the Temporal that the service uses with these settings. */
export async function findKeyAccess(env: NodeJS.ProcessEnv, withoutTemporal: boolean): Promise<KeyAccess> {
  loadEnvFile();
  const { dataDir, database, temporal, encryptionKeys } = readConfig(env, 'start');
  const keyFile = join(dataDir, 'encryption-key');
  const databaseUrl = database.url ?? (await findRunningPostgres(dataDir))?.url;
  if (databaseUrl === undefined)
    throw new CommandError(
      exitCodes.unavailable,
      `No service runs in ${dataDir}. Start it so that its workflows can be re-encrypted, or set DATABASE_URL. Nothing was changed.`,
    );
  const address = withoutTemporal ? undefined : (temporal.address ?? (await findRunningTemporal(dataDir)));
  if (address === undefined && !withoutTemporal)
    throw new CommandError(
      exitCodes.failed,
      'TEMPORAL_ADDRESS is not set, and no service with an embedded Temporal runs here. Set it, or pass --without-temporal if only the library uses this database. Nothing was changed.',
    );
  return {
    encryptionKeys: encryptionKeys ?? readEncryptionKeys(await readKeyFile(keyFile), keyFile),
    keySource: encryptionKeys ? 'ENCRYPTION_KEYS' : keyFile,
    databaseUrl,
    temporal: address === undefined ? undefined : { ...temporal, address },
  };
}

const readKeyFile = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(exitCodes.failed, `Cannot read ${file} (${error.code}). Restore it, or set ENCRYPTION_KEYS.`);
  });
