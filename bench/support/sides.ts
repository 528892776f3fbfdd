import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { allocator, heapMib } from '../../test/support/hostile/service.ts';
import { polisCommand, installPolis } from './install.ts';
import type { Cleanup } from './cleanup.ts';
import type { Options, Side } from './options.ts';
import type { Servers } from './servers.ts';
import { rollcallCommand, startService, type Service } from './service.ts';

export interface RunningSide {
  side: Side;
  baseUrl: string;
  apiKey: string;
  databaseUrl: string;
  /** Its processes by name; descendants count too. */
  pids: Record<string, number>;
  stop(): Promise<void>;
}

export type RollcallEnvironment = Record<string, string> & { DATABASE_URL: string };

export const sideNames: Record<Side, string> = { rollcall: 'Rollcall', polis: 'Polis', before: 'before' };

const apiKey = 'bench-key-of-32-characters-or-more';

/** The memory settings of the image. Without a limit, Node lets garbage grow to several times what is in use before it collects it. */
export const imageSettings = { ...allocator, NODE_OPTIONS: `--max-old-space-size=${heapMib}` };

/** The environment of both processes of Rollcall, as in production. */
export async function prepareRollcall(servers: Servers, database = 'rollcall'): Promise<RollcallEnvironment> {
  return {
    DATABASE_URL: await servers.createDatabase(database),
    TEMPORAL_ADDRESS: servers.temporalAddress,
    ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    API_KEYS: apiKey,
    // The same number as Polis' driver uses.
    DATABASE_POOL_SIZE: '10',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
}

export async function startRollcall(servers: Servers, environment: RollcallEnvironment, cleanup: Cleanup): Promise<RunningSide> {
  const { pid, baseUrl, stop } = await startService({ name: 'Rollcall', command: rollcallCommand('api'), environment }, cleanup);
  const pids = { node: pid, Postgres: servers.postgresPid, Temporal: servers.temporalPid };
  return { side: 'rollcall', baseUrl, apiKey, databaseUrl: environment.DATABASE_URL, pids, stop };
}

export function startRollcallWorker(environment: RollcallEnvironment, cleanup: Cleanup): Promise<Service> {
  return startService({ name: 'The worker', command: rollcallCommand('worker'), environment }, cleanup);
}

/** Starts Polis with its own database in the same Postgres. */
export async function startPolis(servers: Servers, cleanup: Cleanup, more: Record<string, string> = {}): Promise<RunningSide> {
  installPolis();
  const databaseUrl = await servers.createDatabase('polis');
  const environment = { DATABASE_URL: databaseUrl, ...more };
  const { pid, baseUrl, stop } = await startService({ name: 'Polis', command: polisCommand, environment }, cleanup);
  return { side: 'polis', baseUrl, apiKey, databaseUrl, pids: { node: pid, Postgres: servers.postgresPid }, stop };
}

/** Starts another checkout on the same servers, with its own database and namespace. */
async function startBefore(folder: string, servers: Servers, cleanup: Cleanup): Promise<RunningSide> {
  const environment = {
    ...(await prepareRollcall(servers, 'before')),
    TEMPORAL_NAMESPACE: await servers.createNamespace('before'),
  };
  const command = [process.execPath, join(folder, 'dist/src/main.js'), 'api'];
  const { pid, baseUrl, stop } = await startService({ name: 'The earlier version', command, environment }, cleanup);
  const pids = { node: pid, Postgres: servers.postgresPid, Temporal: servers.temporalPid };
  return { side: 'before', baseUrl, apiKey, databaseUrl: environment.DATABASE_URL, pids, stop };
}

export async function startSides(
  { sides, before }: Pick<Options, 'sides' | 'before'>,
  { servers, environment }: { servers: Servers; environment: RollcallEnvironment },
  cleanup: Cleanup,
): Promise<RunningSide[]> {
  const running: RunningSide[] = [];
  for (const side of sides) {
    if (side === 'rollcall') running.push(await startRollcall(servers, environment, cleanup));
    else if (before !== undefined) running.push(await startBefore(before, servers, cleanup));
    else running.push(await startPolis(servers, cleanup));
  }
  return running;
}
