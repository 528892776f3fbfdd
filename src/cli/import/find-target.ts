import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig, type Config } from '../../config.ts';
import { readEncryptionKeys } from '../../config/server.ts';
import { withPostgres } from '../../embedded/running-servers.ts';
import { finishRestore } from '../../embedded/restore-folder.ts';
import { loadEnvFile } from '../shell.ts';
import { CommandError, exitCodes } from '../errors.ts';

export interface Target {
  url: string;
  config: Config;
  encryptionKeys: Buffer[];
}

/** The database and the keys that the service uses with these settings. The embedded Postgres is started if the service does not run. */
export async function withTarget<T>(env: NodeJS.ProcessEnv, work: (target: Target) => Promise<T>): Promise<T> {
  loadEnvFile();
  const config = readConfig(env, 'start');
  const { dataDir, database } = config;
  const encryptionKeys = config.encryptionKeys ?? (await readKeyFile(join(dataDir, 'encryption-key')));
  if (database.url !== undefined) return work({ url: database.url, config, encryptionKeys });
  await finishRestore(dataDir);
  return withPostgres(dataDir, (url) => work({ url, config, encryptionKeys }));
}

async function readKeyFile(file: string): Promise<Buffer[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      exitCodes.failed,
      `Cannot read ${file} (${error.code}). Start Rollcall once, or set ENCRYPTION_KEYS to the value that the service uses.`,
    );
  });
  return readEncryptionKeys(text, file);
}
