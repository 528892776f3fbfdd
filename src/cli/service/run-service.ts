import { type Command, type Config, findUnknownSettings, readConfig } from '../../config.ts';
import { createLogger, type Logger } from '../../logger.ts';
import { installTemporalRuntime } from '../../temporal/runtime.ts';
import { loadEnvFile } from '../shell.ts';
import { startEmbedded, startOnDatabase } from './start-embedded.ts';
import { stopOnSignal, type RunningService } from './stop-on-signal.ts';
import { findOperatorSecretWarnings } from '../../directory/delivery/webhook-secrets.ts';

/** Starts the service; signals stop it. */
export async function runService(command: Exclude<Command, 'migrate'>, env: NodeJS.ProcessEnv): Promise<void> {
  const signals = stopOnSignal();
  loadEnvFile();
  const config = readConfig(env, command);
  const log = createLogger(config.logLevel, undefined, config.logFormat);
  for (const warning of findUnknownSettings(Object.keys(env))) log.warn(warning);
  for (const warning of findOperatorSecretWarnings(config.webhooks.operator?.secret)) log.warn(warning);
  installTemporalRuntime(log);
  const service = command === 'start' ? await startEmbedded({ config, path: env['PATH'], log }) : await startPart(command, config, log);
  signals.stopGracefully(service, log, config.logFormat);
  service.announce();
}

async function startPart(command: 'api' | 'worker', config: Config, log: Logger): Promise<RunningService> {
  const service = await startOnDatabase({
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
