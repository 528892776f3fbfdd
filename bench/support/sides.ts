import { randomBytes } from 'node:crypto';
import { ancestorCommand, installAncestor } from './ancestor.ts';
import type { Closing } from './closing.ts';
import type { Side } from './options.ts';
import type { Servers } from './servers.ts';
import { rollcallCommand, startService, type Service } from './service.ts';

export interface RunningSide {
  side: Side;
  baseUrl: string;
  apiKey: string;
  /** What works for it, by name: the processes below these count too. */
  pids: Record<string, number>;
}

const apiKey = 'bench';

/** What both halves of Rollcall are told, as in production. */
export async function prepareRollcall(servers: Servers): Promise<Record<string, string>> {
  return {
    DATABASE_URL: await servers.createDatabase('rollcall'),
    TEMPORAL_ADDRESS: servers.temporalAddress,
    ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    API_KEYS: apiKey,
    // The ancestor's driver has as many.
    DATABASE_POOL_SIZE: '10',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
}

export async function startRollcall(servers: Servers, environment: Record<string, string>, closing: Closing): Promise<RunningSide> {
  const { pid, baseUrl } = await startService({ name: 'Rollcall', command: rollcallCommand('api'), environment }, closing);
  return { side: 'rollcall', baseUrl, apiKey, pids: { node: pid, Postgres: servers.postgresPid, Temporal: servers.temporalPid } };
}

export function startRollcallWorker(environment: Record<string, string>, closing: Closing): Promise<Service> {
  return startService({ name: 'The worker', command: rollcallCommand('worker'), environment }, closing);
}

/** In a database of its own in the same Postgres. */
export async function startAncestor(servers: Servers, closing: Closing): Promise<RunningSide> {
  installAncestor();
  const environment = { DATABASE_URL: await servers.createDatabase('ancestor') };
  const { pid, baseUrl } = await startService({ name: 'The ancestor', command: ancestorCommand, environment }, closing);
  return { side: 'ancestor', baseUrl, apiKey, pids: { node: pid, Postgres: servers.postgresPid } };
}
