import { startService } from '../../src/app/service.ts';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';
import type { TemporalOptions } from '../../src/app/temporal-runtime.ts';

/** `rollcall start` on existing servers, with an injected part. */
export async function startWith(replaceActivityDeps: NonNullable<TemporalOptions['replaceActivityDeps']>): Promise<void> {
  const config = readConfig(process.env, 'api');
  const log = createLogger(config.logLevel);
  installTemporalRuntime(log);
  const { baseUrl } = await startService({
    config,
    log,
    deliver: true,
    databaseUrl: config.database.url!,
    temporalAddress: config.temporal.address!,
    encryptionKeys: config.encryptionKeys!,
    apiKeys: config.apiKeys!,
    allowedNetworks: config.webhooks.allowedNetworks!,
    replaceActivityDeps,
  });
  console.log(`Rollcall is ready at ${baseUrl}`);
}

export function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('It should be dead.');
}
