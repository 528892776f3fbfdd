import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import type { Running } from './drain-on-signal.ts';
import { startOnDatabase } from './start-on-database.ts';

export async function startPart(command: 'api' | 'worker', config: Config, log: Logger): Promise<Running> {
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
    tellReady: () => log.info({ address: service.baseUrl }, `rollcall ${command} is ready`),
    stop: () => service.stop(),
  };
}
