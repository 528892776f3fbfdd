import { join } from 'node:path';
import type { Service } from '../../app/service.ts';
import type { Config } from '../../config.ts';
import { readFreeBytes } from '../../app/disk-watch.ts';
import { leaveAddress } from '../../embedded/running-address.ts';
import { startServers } from '../../embedded/servers.ts';
import { listen } from '../../http/server/listen.ts';
import type { Logger } from '../../logger.ts';
import { packageRoot } from '../../paths.ts';
import { isEncrypted } from '../../store/is-encrypted.ts';
import { loopback } from './loopback.ts';
import type { Running } from './drain-on-signal.ts';
import { startOnDatabase } from './start-on-database.ts';

export async function startAlone({ config, path, log }: { config: Config; path: string | undefined; log: Logger }): Promise<Running> {
  await requireFreePort(config);
  const servers = await startServers({ config, path, root: packageRoot, log, isEncrypted });
  try {
    const service = await startOnDatabase({
      config,
      log,
      deliver: true,
      databaseUrl: servers.databaseUrl,
      temporalAddress: servers.temporalAddress,
      encryptionKeys: servers.encryptionKeys,
      apiKeys: servers.apiKeys,
      freeDiskBytes: () => readFreeBytes(config.dataDir),
      allowedNetworks: config.webhooks.allowedNetworks ?? loopback,
      ownPorts: servers.ports,
      // Each change is a workflow, so one directory's rate would fill the disk within the day that Temporal keeps them by default.
      ...(!config.temporal.address && { keepHistoriesMs: 3_600_000 }),
    });
    const takeBack = await leaveAddress(config.dataDir, service.baseUrl, servers.temporalAddress);
    return {
      tellReady: () => console.log(welcome(service, config, servers.newApiKey)),
      stop: () => takeBack().finally(() => service.stop().finally(() => servers.stop())),
      kill: () => servers.kill(),
    };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

/** Said before anything is started for nothing. */
async function requireFreePort(config: Config): Promise<void> {
  const probe = await listen(() => undefined, { host: config.host, port: config.port, maxConnections: 1 });
  await probe.close(0);
}

function welcome({ baseUrl }: Service, { dataDir, webhooks, apiKeys }: Config, newApiKey: string | undefined): string {
  const kept = join(dataDir, 'api-key');
  const key = apiKeys ? 'as API_KEYS says' : newApiKey ? `${newApiKey}  (made now; kept in ${kept})` : `in ${kept}`;
  const lines = ['', `Rollcall is ready at ${baseUrl}`, `  API key  ${key}`, `  Data     ${dataDir}`];
  if (!webhooks.allowedNetworks) lines.push('  Webhooks to this machine (loopback) are allowed; WEBHOOK_ALLOWED_NETWORKS changes that.');
  lines.push(`  API      ${baseUrl}/docs`, '  Commands npx rollcall help');
  return `${lines.join('\n')}\n`;
}
