import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { readEncryptionKeys } from '../config/server.ts';
import { minKeyLength } from '../shared/api-keys.ts';
import { StartupError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { searchAttributes } from '../temporal/names.ts';
import { newApiKeyCommand, openDataFolder } from './data-folder.ts';
import { findListeningAddresses } from './processes.ts';
import { startPostgres } from './postgres.ts';
import { finishRestore } from './restore-folder.ts';
import type { ServerLog } from './supervise.ts';
import { findTemporal, startTemporal } from './temporal.ts';

export interface Servers {
  databaseUrl: string;
  temporalAddress: string;
  /** Where the UI of this Temporal listens, without authentication. */
  temporalUiAddress: string | undefined;
  apiKeys: string[];
  encryptionKeys: Buffer[];
  /** Ports of these servers, including those between Temporal's own services, which change with each restart. */
  ports: { has(port: number): Promise<boolean> };
  /** The API key, if this start has created it. */
  newApiKey: string | undefined;
  stop(): Promise<void>;
  /** Kills the servers immediately. Both recover at the next start. */
  kill(): Promise<void>;
}

interface ServersOptions {
  config: Config;
  path: string | undefined;
  root: string;
  log: Logger;
  /** Whether the secrets in the database are already encrypted. */
  isEncrypted(databaseUrl: string): Promise<boolean>;
}

/** Starts what the configuration does not provide: Postgres, Temporal and keys. */
export async function startServers({ config, path, root, log, isEncrypted }: ServersOptions): Promise<Servers> {
  await finishRestore(config.dataDir);
  const encryptionKeyFile = join(config.dataDir, 'encryption-key');
  const isKeyToBeMade = !config.encryptionKeys && !existsSync(encryptionKeyFile);
  if (config.database.url && isKeyToBeMade && (await isEncrypted(config.database.url)))
    throw new StartupError(
      `${encryptionKeyFile} is missing, and the secrets in the database at DATABASE_URL are already encrypted: restore the file from the backup of the data folder, or set ENCRYPTION_KEYS to its key.`,
    );
  const folder = await openDataFolder(config.dataDir, {
    apiKey: !config.apiKeys,
    encryptionKey: !config.encryptionKeys,
    postgresPassword: !config.database.url,
  });
  const apiKeyFile = join(config.dataDir, 'api-key');
  if (!config.apiKeys && folder.apiKey.length < minKeyLength)
    throw new StartupError(
      `The key in ${apiKeyFile} has fewer than ${minKeyLength} characters: write a longer one into the file (${newApiKeyCommand(apiKeyFile)}).`,
    );
  const say: ServerLog = (message, level = 'info') => log[level](message);
  const temporalBinary = config.temporal.address ? undefined : await findTemporal({ binary: config.temporal.binary, path, root });
  const starting = [
    config.database.url
      ? Promise.resolve(undefined)
      : startPostgres({ dataDir: join(config.dataDir, 'postgres'), password: folder.postgresPassword, log: say }),
    temporalBinary === undefined
      ? Promise.resolve(undefined)
      : startTemporal({
          command: temporalBinary,
          databaseFile: join(config.dataDir, 'temporal.db'),
          searchAttributes,
          hasUi: config.temporal.uiPort !== 0,
          log: say,
        }),
  ] as const;
  const end = async (how: 'stop' | 'kill') => {
    await Promise.all(starting.map(async (server) => (await server.catch(() => undefined))?.[how]()));
  };
  const stop = () => end('stop');
  try {
    const [postgres, temporal] = await Promise.all(starting);
    return {
      databaseUrl: config.database.url ?? postgres!.url,
      temporalAddress: config.temporal.address ?? temporal!.address,
      temporalUiAddress: temporal?.uiAddress,
      apiKeys: config.apiKeys ?? [folder.apiKey],
      encryptionKeys: config.encryptionKeys ?? readEncryptionKeys(folder.encryptionKey, encryptionKeyFile),
      ports: {
        has: async (port) =>
          port === postgres?.port ||
          (temporal !== undefined &&
            (temporal.ports.includes(port) || (await findListeningAddresses(temporal.pid())).some((address) => address.port === port))),
      },
      newApiKey: folder.apiKeyIsNew && !config.apiKeys ? folder.apiKey : undefined,
      stop,
      kill: () => end('kill'),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
