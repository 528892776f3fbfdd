import { startOnTemporal, type TemporalOptions } from './temporal-runtime.ts';
import { composeLimits, readLimits } from './limits.ts';
import { listen } from '../http/server/listen.ts';
import { createNetworks } from '../limits/networks.ts';
import { createHealthServer, createMetricsServer } from '../http/create-api.ts';
import type { OwnPorts } from '../webhooks/guard.ts';

/** What a process needs to know of the world outside it: given by the configuration, or by the embedded servers. */
export interface ServiceOptions extends TemporalOptions {
  /** Without keys there is no API: a worker. */
  apiKeys?: string[];
}

export interface Service {
  /** Under which others reach it. */
  baseUrl: string;
  port: number;
  /** HTTP first, then workers, then what they use. */
  stop(): Promise<void>;
}

/** A drain is over within 15 s: HTTP, then workers, then what they use. */
const httpPatienceMs = 9_000;

export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, apiKeys, databaseUrl, log } = options;
  // What is wrong with their files is said before anything is started.
  const limits = apiKeys && config.limits && readLimits(config.limits);
  // A webhook to the API could do nothing there without a key, but its errors would count as those of a caller on this machine.
  const apiPorts = new Set([config.port, ...(config.metrics ? [config.metrics.port] : [])]);
  const ownPorts: OwnPorts = { has: (port) => apiPorts.has(port) || (options.ownPorts?.has(port) ?? false) };
  const work = await startOnTemporal({ ...options, ownPorts });
  const { metrics, findMissing } = work;
  let baseUrl = config.externalUrl ?? '';
  const limiting =
    limits && apiKeys && composeLimits({ ...limits, trustedProxies: config.trustedProxies, apiKeys, databaseUrl, metrics, log });
  const api = apiKeys && work.composeApi({ apiKeys, limiting, baseUrl: () => baseUrl });
  const { host, port, maxConnections, trustedProxies } = config;
  const connections = { maxConnections, isTrustedProxy: createNetworks(trustedProxies), log };
  const http = await listen((api?.app ?? createHealthServer({ findMissing, log })).callback(), { host, port, ...connections });
  const metricsHttp =
    config.metrics && (await listen(createMetricsServer({ metrics, log }).callback(), { ...config.metrics, ...connections }));
  for (const listening of [http, metricsHttp]) if (listening) apiPorts.add(listening.port);
  baseUrl ||= `http://${nameOf(config.host)}:${http.port}`;

  return {
    baseUrl,
    port: http.port,
    async stop() {
      api?.stopWaiting();
      await Promise.all([http.close(httpPatienceMs), metricsHttp?.close(1_000)]);
      await Promise.all([work.stop(), limiting?.stop()]);
    },
  };
}

/** Every interface has no address to hand out; whoever listens on all sets EXTERNAL_URL. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
