import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { findFreePort } from '../../../src/embedded/free-port.ts';
import { packageRoot } from '../../../src/paths.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { startServers } from '../chaos/servers.ts';
import { retryEvery } from '../retry-schedules.ts';
import { request, toTestDirectory, type ServiceResponse, type TestDirectory } from '../service.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { openInspector, type Inspector } from './inspector.ts';

/** The heap that `docs/operate/capacity.md` recommends. */
export const heapMib = 512;
/** The Dockerfile has the same value. */
export const allocator = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_TRIM_THRESHOLD_: '262144' };

/** The whole service as one process with that heap, and its own Postgres and Temporal. */
export interface HostileTarget {
  baseUrl: string;
  pid: number;
  db: Knex;
  api(method: string, path: string, body?: unknown): Promise<ServiceResponse>;
  createDirectory(tenant: string, fields?: Record<string, unknown>): Promise<TestDirectory>;
  isRunning(): boolean;
  output(): string;
  /** Live objects after a full collection. */
  heapBytes(): Promise<number>;
  startProfile: Inspector['startProfile'];
  /** The most memory that the process has held since the last reset. */
  peakBytes(): Promise<number>;
  resetPeak(): Promise<void>;
  processorMs(): Promise<number>;
  stop(): Promise<void>;
}

const apiKey = 'hostile-tests-api-key-of-enough-characters';

export async function startHostileTarget(env: Record<string, string> = {}): Promise<HostileTarget> {
  const folder = await temporaryFolder();
  const servers = await startServers(folder.path);
  const db = openDatabase(servers.databaseUrl);
  const baseUrl = `http://127.0.0.1:${await findFreePort()}`;
  const variables = {
    PATH: process.env['PATH'] ?? '',
    ...allocator,
    DATABASE_URL: servers.databaseUrl,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    API_KEYS: apiKey,
    PORT: new URL(baseUrl).port,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_RETRY_SCHEDULE: retryEvery(1),
    LOG_LEVEL: 'warn',
    ...env,
  };
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heapMib}`, '--inspect=127.0.0.1:0', join(packageRoot, 'dist/src/main.js'), 'start'],
    { cwd: folder.path, env: variables, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const api: HostileTarget['api'] = (method, path, body) =>
    request(`${baseUrl}${path}`, method, body, { authorization: `Api-Key ${apiKey}` });
  let inspector: Inspector | undefined;
  const stop = async () => {
    inspector?.close();
    child.kill('SIGKILL');
    await exited;
    await db.destroy();
    await Promise.all([servers.postgres.end(), servers.temporal.end()]);
    await folder[Symbol.asyncDispose]();
  };
  try {
    await until(async () => !isRunning() || (await fetch(`${baseUrl}/health/ready`)).ok, { timeoutMs: 60_000, everyMs: 100 });
    if (!isRunning()) throw new Error(`The service ended:\n${output}`);
    inspector = await openInspector(output);
  } catch (error) {
    await stop();
    throw error;
  }
  const { heapBytes, startProfile } = inspector;
  return {
    baseUrl,
    pid: child.pid!,
    db,
    api,
    async createDirectory(tenant, fields = {}) {
      const { status, body } = await api('POST', '/api/v1/directory-sync', { tenant, product: 'app', ...fields });
      if (status !== 200 && status !== 201) throw new Error(`Creating a directory got ${status}: ${JSON.stringify(body)}`);
      return toTestDirectory(baseUrl, body.data);
    },
    isRunning,
    output: () => output,
    heapBytes,
    startProfile,
    peakBytes: async () => Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))![1]) * 1024,
    resetPeak: () => writeFile(`/proc/${child.pid}/clear_refs`, '5'),
    async processorMs() {
      const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    stop,
  };
}
