import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { startChild } from '../../src/embedded/child.ts';
import { acceptsConnections, assertFreePort } from '../../src/embedded/free-port.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import type { Cleanup } from './cleanup.ts';

const run = promisify(execFile);
const password = 'bench';
const databases = ['temporal', 'visibility'] as const;
const services = ['frontend', 'history', 'matching', 'worker'] as const;
/** Temporal's advice for a small cluster. */
const historyShards = 512;

export interface TemporalServer {
  address: string;
  pid: number;
  /** The Postgres that it stores workflows in; the development server has a file. */
  postgresPid: number | undefined;
}

/**
 * Starts the server of production clusters, with all services in one process and its own Postgres. `binaries` is a
 * folder with `temporal-server` and `temporal-sql-tool`.
 */
export async function startTemporalServer(
  { binaries, folder }: { binaries: string; folder: string },
  cleanup: Cleanup,
): Promise<TemporalServer> {
  const postgres = await startPostgres({ dataDir: join(folder, 'temporal-postgres'), password });
  cleanup.add(() => postgres.stop());
  for (const database of databases) await createSchema(join(binaries, 'temporal-sql-tool'), database, postgres.port);
  const ports = await findPorts(2 * services.length);
  const [port] = ports as [number];
  const config = join(folder, 'temporal-config');
  await mkdir(config, { mode: 0o700 });
  // JSON is YAML.
  await writeFile(join(config, 'bench.yaml'), JSON.stringify(configure(ports, postgres.port)));
  const server = await startChild({
    name: 'Temporal',
    command: [
      join(binaries, 'temporal-server'),
      '--root',
      folder,
      '--config',
      'temporal-config',
      '--env',
      'bench',
      '--allow-no-auth',
      'start',
    ],
    isReady: () => acceptsConnections(port),
    signal: cleanup.signal,
  });
  cleanup.add(() => server.stop());
  const address = `127.0.0.1:${port}`;
  await registerNamespace(address, cleanup.signal);
  return { address, pid: server.pid, postgresPid: postgres.pid() };
}

async function createSchema(tool: string, database: string, port: number): Promise<void> {
  const options = { plugin: 'postgres12', endpoint: '127.0.0.1', port: String(port), user: 'postgres', password, database };
  const connection = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  await run(tool, [...connection, 'create']);
  await run(tool, [...connection, 'setup-schema', '-v', '0.0']);
  await run(tool, [...connection, 'update-schema', '--schema-name', `postgresql/v12/${database}`]);
}

function configure(ports: number[], postgresPort: number) {
  const datastore = (databaseName: string) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${postgresPort}`,
      connectProtocol: 'tcp',
      user: 'postgres',
      password,
      maxConns: 20,
      maxIdleConns: 20,
      maxConnLifetime: '1h',
    },
  });
  const frontend = `127.0.0.1:${ports[0]}`;
  const listen = (index: number) => ({
    rpc: { grpcPort: ports[index], membershipPort: ports[services.length + index], bindOnIP: '127.0.0.1' },
  });
  return {
    log: { stdout: true, level: 'error' },
    persistence: {
      defaultStore: 'temporal',
      visibilityStore: 'visibility',
      numHistoryShards: historyShards,
      datastores: Object.fromEntries(databases.map((name) => [name, datastore(name)])),
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(services.map((name, index) => [name, listen(index)])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: { active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: frontend } },
    },
    publicClient: { hostPort: frontend },
  };
}

/** A new server rejects namespaces until its services have found each other. */
async function registerNamespace(address: string, signal: AbortSignal): Promise<void> {
  const connection = Connection.lazy({ address });
  const deadline = performance.now() + 60_000;
  for (;;) {
    const workflowExecutionRetentionPeriod = { seconds: 86_400 as never };
    const error = await connection.workflowService.registerNamespace({ namespace: 'default', workflowExecutionRetentionPeriod }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) break;
    if (performance.now() > deadline) throw error;
    await sleep(500, undefined, { signal });
  }
  await connection.close();
}

/** Starts at a low port: the server stores ports as signed 16-bit numbers. */
async function findPorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let port = 17_233; ports.length < count; port += 1) {
    const isFree = await assertFreePort(port, 'Temporal').then(
      () => true,
      () => false,
    );
    if (isFree) ports.push(port);
  }
  return ports;
}
