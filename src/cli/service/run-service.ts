import { type Command, type Config, findUnknownSettings, readConfig } from '../../config.ts';
import { createLogger, type Logger } from '../../logger.ts';
import { loadEnvFile } from '../shell.ts';
import { stopOnSignal, type RunningService } from './stop-on-signal.ts';
import { join } from 'node:path';
import { readFreeBytes } from '../../app/disk-watch.ts';
import type { Service } from '../../app/service.ts';
import { publishAddress } from '../../embedded/running-servers.ts';
import { startServers } from '../../embedded/servers.ts';
import { listen } from '../../http/server/listen.ts';
import { packageRoot } from '../../paths.ts';
import { loopbackNetworks } from '../../config/webhooks.ts';
import { findOperatorSecretWarnings } from '../../directory/delivery/webhook-settings.ts';

/** Starts the service; signals stop it. */
export async function runService(command: Exclude<Command, 'migrate'>, env: NodeJS.ProcessEnv): Promise<void> {
  const signals = stopOnSignal();
  loadEnvFile();
  const config = readConfig(env, command);
  const log = createLogger(config.logLevel, undefined, config.logFormat);
  for (const warning of findUnknownSettings(Object.keys(env))) log.warn(warning);
  for (const warning of findOperatorSecretWarnings(config.webhooks.operator?.secret)) log.warn(warning);
  const service = command === 'start' ? await startEmbedded({ config, path: env['PATH'], log }) : await startPart(command, config, log);
  signals.stopGracefully(service, log, config.logFormat);
  service.announce();
}

async function startPart(command: 'api' | 'worker', config: Config, log: Logger): Promise<RunningService> {
  const startService = await loadStartService(log);
  const service = await startService({
    config,
    log,
    deliver: command === 'worker',
    databaseUrl: config.database.url!,
    temporalAddress: config.temporal.address!,
    encryptionKeys: config.encryptionKeys!,
    allowedNetworks: config.webhooks.allowedNetworks ?? [],
    ...(command === 'api' && { apiKeys: config.apiKeys! }),
  });
  return {
    announce: () => log.info({ address: service.baseUrl }, `rollcall ${command} is ready`),
    stop: () => service.stop(),
  };
}

/**
 * Loading these modules takes about as long as starting the servers, so both happen at the same time. If the database goes away during the
 * start, the error says so instead of naming the statement that failed.
 */
async function loadStartService(log: Logger) {
  const [{ startService }, { translateOutages }, { installTemporalRuntime }] = await Promise.all([
    import('../../app/service.ts'),
    import('../../store/sql/outages.ts'),
    import('../../temporal/runtime.ts'),
  ]);
  installTemporalRuntime(log);
  return translateOutages({ startService }).startService;
}

const isEncrypted = async (databaseUrl: string) => (await import('../../store/encryption/keys-in-use.ts')).isEncrypted(databaseUrl);

interface EmbeddedOptions {
  config: Config;
  path: string | undefined;
  log: Logger;
}

/** Starts Postgres and Temporal where none is configured, and the service on them. */
async function startEmbedded({ config, path, log }: EmbeddedOptions): Promise<RunningService> {
  await assertPortIsFree(config);
  const [started, loaded] = await Promise.allSettled([
    startServers({ config, path, root: packageRoot, log, isEncrypted }),
    loadStartService(log),
  ]);
  if (loaded.status === 'rejected') {
    if (started.status === 'fulfilled') await started.value.stop();
    throw loaded.reason;
  }
  if (started.status === 'rejected') throw started.reason;
  const [servers, startService] = [started.value, loaded.value];
  try {
    const service = await startService({
      config,
      log,
      deliver: true,
      databaseUrl: servers.databaseUrl,
      temporalAddress: servers.temporalAddress,
      temporalUiAddress: servers.temporalUiAddress,
      encryptionKeys: servers.encryptionKeys,
      apiKeys: servers.apiKeys,
      freeDiskBytes: () => readFreeBytes(config.dataDir),
      allowedNetworks: config.webhooks.allowedNetworks ?? loopbackNetworks,
      ownPorts: servers.ports,
      // Every change is a workflow. With Temporal's default retention of a day, one busy directory would fill the disk.
      ...(!config.temporal.address && { keepHistoriesMs: 3_600_000 }),
    });
    const removeAddress = await publishAddress(config.dataDir, service.baseUrl, servers.temporalAddress);
    return {
      announce: () => console.log(welcomeText(service, config, servers.newApiKey)),
      stop: () => removeAddress().finally(() => service.stop().finally(() => servers.stop())),
      kill: () => servers.kill(),
    };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

/** Fails before the servers are started. */
async function assertPortIsFree(config: Config): Promise<void> {
  const probe = await listen(() => undefined, { host: config.host, port: config.port, maxConnections: 1 });
  await probe.close(0);
}

function welcomeText({ baseUrl }: Service, { dataDir, webhooks, apiKeys }: Config, newApiKey: string | undefined): string {
  const keyFile = join(dataDir, 'api-key');
  const key = apiKeys ? 'set by API_KEYS' : newApiKey ? `${newApiKey}  (generated; stored in ${keyFile})` : `in ${keyFile}`;
  const lines = ['', `Rollcall is ready at ${baseUrl}`, `  Console  ${baseUrl}/console`, `  API key  ${key}`, `  Data     ${dataDir}`];
  if (!webhooks.allowedNetworks) lines.push('  Webhooks to this machine (loopback) are allowed; WEBHOOK_ALLOWED_NETWORKS changes this.');
  lines.push(`  Docs     ${baseUrl}/docs`, '  Help     npx rollcall help');
  return `${lines.join('\n')}\n`;
}
