import { readConfig, type Config } from '../../config.ts';
import { createLogger, type Logger } from '../../logger.ts';
import { migrate } from '../../store/migrate.ts';
import { tellingOutages } from '../../store/outage.ts';
import { connectTemporal } from '../../temporal/connect.ts';
import { installTemporalRuntime } from '../../temporal/runtime.ts';
import { readSettings } from '../read-settings.ts';
import { registerSearchAttributes } from '../../temporal/search-attributes.ts';

export async function migrateAll(env: NodeJS.ProcessEnv): Promise<void> {
  readSettings();
  const config = readConfig(env, 'migrate');
  await onDatabase.bringUpToDate(config, createLogger(config.logLevel));
  console.log('The database is up to date.');
}

async function bringUpToDate({ database, temporal }: Config, log: Logger): Promise<void> {
  await migrate(database.url!);
  if (temporal.address === undefined) return;
  // Without a connection to end with, it would keep the process.
  installTemporalRuntime(log);
  const connection = await connectTemporal({ ...temporal, address: temporal.address });
  await registerSearchAttributes(connection, temporal.namespace);
  await connection.close();
}

/** A database that goes away meanwhile is told as one, and not as the statement that happened to be under way. */
const onDatabase = tellingOutages({ bringUpToDate });
