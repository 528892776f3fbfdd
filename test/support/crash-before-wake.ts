// `rollcall start` that dies by SIGKILL at the moment at which it would wake a delivery: its change is committed, and nobody told.
import { startService } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';

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
  replaceActivityDeps: (deps) => ({
    ...deps,
    wakeDelivery: () => {
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => undefined);
    },
  }),
});
console.log(`Rollcall is ready at ${baseUrl}`);
