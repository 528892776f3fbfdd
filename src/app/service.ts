import { startTemporalRuntime, type TemporalOptions } from './temporal-runtime.ts';
import { readBranding } from './branding.ts';
import { createRequestLimiting, readLimits } from './limits.ts';
import { listen, type Listening } from '../http/server/listen.ts';
import { StartupError } from '../errors.ts';
import { setAuditEmits } from '../store/audit/audit-store.ts';
import { createNetworkMatcher } from '../limits/networks.ts';
import { createHealthServer, createMetricsServer } from '../http/create-api.ts';
import { isLoopbackHost } from '../shared/loopback-host.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import type { OwnPorts } from '../webhooks/address-guard.ts';

/** The values come from the configuration, or from the embedded servers. */
export interface ServiceOptions extends TemporalOptions {
  /** Without them, the service is a worker and has no API. */
  apiKeys?: string[];
}

export interface Service {
  /** The address for clients. */
  baseUrl: string;
  port: number;
  /** Stops HTTP first, then workers, then what they use. */
  stop(): Promise<void>;
}

/** The whole service stops within 15 s; this is the part of HTTP. */
const httpTimeoutMs = 9_000;

export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, apiKeys, databaseUrl, log } = options;
  const limits = apiKeys && config.limits && readLimits(config.limits);
  // An invalid file stops the start before anything is started.
  if (apiKeys) readBranding(config.setup.brandingFile);
  // Without a key, a webhook to the API could do nothing, but its errors would count as those of a client on this machine.
  const apiPorts = new Set([config.port, ...(config.metrics ? [config.metrics.port] : [])]);
  const ownPorts: OwnPorts = { has: (port) => apiPorts.has(port) || (options.ownPorts?.has(port) ?? false) };
  const work = await startTemporalRuntime({ ...options, ownPorts });
  const { metrics, checkReadiness } = work;
  await setAuditEmits(work.storage.db, config.audit.emits);
  let baseUrl = config.externalUrl ?? '';
  const limiting =
    limits &&
    apiKeys &&
    createRequestLimiting({
      ...limits,
      trustedProxies: config.trustedProxies,
      apiKeys,
      databaseUrl,
      pooler: config.database.pooler,
      metrics,
      log,
    });
  let temporalUi: Listening | undefined;
  // A browser elsewhere cannot reach it, and sends the cookie of the console only to the name by which it knows this machine.
  const temporalUiUrl = (host: string) =>
    temporalUi && isLoopbackHost(host) ? `http://${host.split(':')[0]}:${temporalUi.port}` : undefined;
  const api = apiKeys && work.createApi({ apiKeys, limiting, baseUrl: () => baseUrl, temporalUiUrl });
  const { host, port, maxConnections, trustedProxies } = config;
  const connections = { maxConnections, isTrustedProxy: createNetworkMatcher(trustedProxies), log };
  const http = await listen((api?.app ?? createHealthServer({ checkReadiness, log })).callback(), { host, port, ...connections });
  const metricsHttp =
    config.metrics && (await listen(createMetricsServer({ metrics, log }).callback(), { ...config.metrics, ...connections }));
  for (const listening of [http, metricsHttp]) if (listening) apiPorts.add(listening.port);
  baseUrl ||= `http://${nameOf(config.host)}:${http.port}`;
  if (api && options.temporalUiAddress !== undefined)
    temporalUi = await listen(api.createTemporalUi(options.temporalUiAddress).callback(), {
      host: '127.0.0.1',
      port: config.temporal.uiPort,
      ...connections,
    }).catch((error: Error) => {
      if (!(error instanceof StartupError)) throw error;
      log.warn(
        { port: config.temporal.uiPort, error: toLoggableMessage(error) },
        "Temporal's UI is not shown: set TEMPORAL_UI_PORT to a free port",
      );
      return undefined;
    });
  if (temporalUi) apiPorts.add(temporalUi.port);

  return {
    baseUrl,
    port: http.port,
    async stop() {
      api?.stopWaiting();
      await Promise.all([http.close(httpTimeoutMs), metricsHttp?.close(1_000), temporalUi?.close(1_000)]);
      await api?.recordFailedAuthentications();
      await Promise.all([work.stop(), limiting?.stop()]);
    },
  };
}

/** No address stands for all interfaces: EXTERNAL_URL names one. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
