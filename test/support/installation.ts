import { randomBytes } from 'node:crypto';
import { Connection } from '@temporalio/client';
import type { Knex } from 'knex';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { openDatabase } from '../../src/store/database.ts';
import { retryEvery } from './retry-schedules.ts';
import { cloneDatabase } from './database.ts';
import { startRollcall, type ProcessOptions, type RunningRollcall } from './process.ts';
import { request, toTestDirectory, type ServiceResponse, type TestDirectory } from './service.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A database, a Temporal namespace, keys and an address for several processes. */
export interface Installation {
  env: Record<string, string>;
  folder: string;
  baseUrl: string;
  apiKey: string;
  db: Knex;
  start(options?: Partial<ProcessOptions>): Promise<RunningRollcall>;
  api(method: string, path: string, body?: unknown): Promise<ServiceResponse>;
  createDirectory(fields?: Record<string, unknown>): Promise<TestDirectory>;
  /** Must be called after its processes have ended. */
  remove(): Promise<void>;
}

export interface InstallationOptions {
  env?: Record<string, string>;
  /** Servers of the test, which it may stop. Default: the shared ones. */
  databaseUrl?: string;
  temporalAddress?: string;
}

/**
 * Runs workflows in the main thread, for tests that start many processes and do not test
 * their threads: they start in two thirds of the time.
 */
export const withoutThreads = { TEMPORAL_DEBUG: '1' };

export async function createInstallation({ env = {}, databaseUrl, temporalAddress }: InstallationOptions = {}): Promise<Installation> {
  const [folder, database, namespace, port] = await Promise.all([
    temporaryFolder(),
    databaseUrl === undefined ? cloneDatabase() : openOwn(databaseUrl),
    temporalAddress === undefined ? registerNamespace() : 'default',
    findFreePort(),
  ]);
  const apiKey = 'installation-key-of-32-characters-or-more';
  const baseUrl = `http://127.0.0.1:${port}`;
  const variables = {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporalAddress ?? process.env['TEST_TEMPORAL_ADDRESS']!,
    TEMPORAL_NAMESPACE: namespace,
    ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    API_KEYS: apiKey,
    PORT: String(port),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    // Longer than a test's receiver takes on a busy machine, so that no request is sent twice.
    WEBHOOK_TIMEOUT_MS: '10000',
    WEBHOOK_RETRY_SCHEDULE: retryEvery(0.2),
    ...env,
  };
  const api: Installation['api'] = (method, path, body) =>
    request(`${baseUrl}${path}`, method, body, { authorization: `Api-Key ${apiKey}` });

  return {
    env: variables,
    folder: folder.path,
    baseUrl,
    apiKey,
    db: database.db,
    start: (options = {}) => startRollcall({ folder: folder.path, ...options, env: { ...variables, ...options.env } }),
    api,
    async createDirectory(fields = {}) {
      const { body } = await api('POST', '/api/v1/directory-sync', {
        tenant: 'acme',
        product: 'app',
        // Tests read delivered events at the end.
        log_webhook_events: true,
        ...fields,
      });
      return toTestDirectory(baseUrl, body.data);
    },
    async remove() {
      await database.drop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function openOwn(url: string) {
  const db = openDatabase(url);
  return { db, url, drop: () => db.destroy() };
}

async function registerNamespace(): Promise<string> {
  const connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
  await connection.close();
  return namespace;
}
