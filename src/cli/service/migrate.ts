import { commandActor } from '../../audit/act.ts';
import { actAs } from '../../audit/audit-scope.ts';
import { readConfig, type Config } from '../../config.ts';
import { createLogger, type Logger } from '../../logger.ts';
import { auditLogMigration, migrate, migrated } from '../../store/migrations/migrate.ts';
import { translateOutages } from '../../store/sql/outages.ts';
import { recordCommand } from '../record-command.ts';
import { loadEnvFile } from '../shell.ts';

const actor = commandActor('migrate');

/** Migrates the database, and prepares the Temporal namespace if there is an address. */
export async function migrateServers(env: NodeJS.ProcessEnv): Promise<void> {
  loadEnvFile();
  const config = readConfig(env, 'migrate');
  await withOutages.migrateAll(config, createLogger(config.logLevel, undefined, config.logFormat));
  console.log('The database is up to date.');
}

async function migrateAll({ database, temporal }: Config, log: Logger): Promise<void> {
  const names = await actAs({ actor }, () => migrate(database.url!, { pooler: database.pooler }));
  if (names.includes(auditLogMigration)) await recordCommand(database.url!, { actor, ...migrated(names) }, database.pooler);
  if (temporal.address === undefined) return;
  const [{ connectTemporal, disconnectTemporal }, { installTemporalRuntime }, { registerSearchAttributes }] = await Promise.all([
    import('../../temporal/connect.ts'),
    import('../../temporal/runtime.ts'),
    import('../../temporal/prepare-namespace.ts'),
  ]);
  // Only with a connection: the runtime would keep the process alive without one to close.
  installTemporalRuntime(log);
  const connection = await connectTemporal({ ...temporal, address: temporal.address });
  await registerSearchAttributes(connection, temporal.namespace);
  await disconnectTemporal(connection);
}

/** If the database goes away, the error says so instead of naming the statement that failed. */
const withOutages = translateOutages({ migrateAll });
