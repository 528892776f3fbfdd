import { randomBytes } from 'node:crypto';
import v8 from 'node:v8';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Knex } from 'knex';
import { startService, type Service, type ServiceOptions } from '../../src/app/service.ts';
import { readConfig } from '../../src/config.ts';
import { createKeyring } from '../../src/keyring.ts';
import { createLogger } from '../../src/logger.ts';
import { workflowBundlePath } from '../../src/paths.ts';
import { createCodec } from '../../src/temporal/codec.ts';
import { disconnectTemporal } from '../../src/temporal/connect.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';
import { watchResponses } from './watch-responses.ts';

export const apiKey = 'test-api-key-of-32-characters-or-more';

export interface TestService {
  baseUrl: string;
  db: Knex;
  client: Client;
  /** Reads and writes payloads as the service does. */
  dataConverter: { payloadCodecs: ReturnType<typeof createCodec>[] };
  workflowBundle: { codePath: string };
  logs: Record<string, unknown>[];
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ServiceResponse>;
  createDirectory(request?: Record<string, unknown>): Promise<TestDirectory>;
  /** A second service on the same database and namespace. Must be stopped before the first. */
  startAnother(env?: NodeJS.ProcessEnv): Promise<Pick<TestService, 'baseUrl' | 'stop'>>;
  /** Throws if a response deviated from the OpenAPI document. */
  checkResponses(): void;
  stop(): Promise<void>;
}

export interface ServiceResponse {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

export interface TestDirectory {
  id: string;
  secret: string;
  webhookSecret: string;
  scim(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ServiceResponse>;
}

let shared: Promise<TestService> | undefined;

/** The service of this worker, for files that use the default settings and look only at their own directories. */
export async function shareTestService(): Promise<TestService> {
  const service = await (shared ??= startShared());
  return { ...service, stop: () => Promise.resolve(service.checkResponses()) };
}

async function startShared(): Promise<TestService> {
  // All files send requests from one address.
  const service = await startTestService({ AUTH_FAILURES_PER_SOURCE: '100000' });
  Object.assign(globalThis, { stopSharedService: service.stop });
  return service;
}

/** A slow machine must not change what a test sees. */
const patient = { WEBHOOK_TIMEOUT_MS: '10000', SCIM_TIMEOUT_MS: '20000' };

/** The whole service on a database and a Temporal namespace of its own. */
export async function startTestService(
  env: NodeJS.ProcessEnv = {},
  {
    encryptionKey = randomBytes(32),
    openDatabase = cloneDatabase,
    ...options
  }: Partial<Pick<ServiceOptions, 'deliver' | 'provider' | 'replaceActivityDeps' | 'recordEveryMs' | 'freeDiskBytes'>> & {
    encryptionKey?: Buffer;
    openDatabase?: () => Promise<TestDatabase>;
  } = {},
): Promise<TestService> {
  const logs: Record<string, unknown>[] = [];
  const log = createLogger('debug', { write: (line: string) => void logs.push(JSON.parse(line) as Record<string, unknown>) });
  installRuntimeOnce();
  omitStackTraces();
  runtimeLogs.add(logs);
  const [database, temporal] = await Promise.all([openDatabase(), createTestNamespace()]);
  const configOf = (more: NodeJS.ProcessEnv) =>
    readConfig({ PORT: '0', TEMPORAL_NAMESPACE: temporal.namespace, ...patient, ...env, ...more }, 'start');
  const serviceOptions: ServiceOptions = {
    config: configOf({}),
    databaseUrl: database.url,
    temporalAddress: process.env['TEST_TEMPORAL_ADDRESS']!,
    encryptionKeys: [encryptionKey],
    apiKeys: [apiKey],
    deliver: true,
    allowedNetworks: ['127.0.0.0/8'],
    log,
    workflowBundlePath: workflowBundlePath(),
    ...options,
  };
  const service = await startService(serviceOptions);
  const dataConverter = { payloadCodecs: [createCodec(createKeyring([encryptionKey]))] };
  const baseUrl = addressOf(service);
  const responses = watchResponses(baseUrl);
  const api = requestApi(baseUrl);

  return {
    baseUrl,
    db: database.db,
    client: new Client({ connection: temporal.connection, namespace: temporal.namespace, dataConverter }),
    dataConverter,
    workflowBundle: { codePath: workflowBundlePath() },
    logs,
    api,
    createDirectory: createDirectoryBy(baseUrl, api),
    async startAnother(more = {}) {
      const another = await startService({ ...serviceOptions, config: configOf(more) });
      const itsResponses = watchResponses(addressOf(another));
      return {
        baseUrl: addressOf(another),
        async stop() {
          await another.stop();
          itsResponses.forget();
          itsResponses.check();
        },
      };
    },
    checkResponses: responses.check,
    async stop() {
      await service.stop();
      await disconnectTemporal(temporal.connection);
      await database.drop();
      runtimeLogs.delete(logs);
      responses.forget();
      responses.check();
    },
  };
}

export const requestApi =
  (baseUrl: string): TestService['api'] =>
  (method, path, body, headers) =>
    request(`${baseUrl}${path}`, method, body, { authorization: `Api-Key ${apiKey}`, ...headers });

export const createDirectoryBy =
  (baseUrl: string, api: TestService['api']): TestService['createDirectory'] =>
  async (fields = {}) => {
    const { status, body } = await api('POST', '/api/v1/directory-sync', { tenant: 'acme', product: 'app', ...fields });
    if (!body.data) throw new Error(`The directory was not created: ${status} ${JSON.stringify(body)}`);
    return toTestDirectory(baseUrl, body.data);
  };

const addressOf = ({ port }: Service) => `http://127.0.0.1:${port}`;

export function toTestDirectory(
  baseUrl: string,
  { id, scim, webhook }: { id: string; scim: { secret: string }; webhook: { secret: string } },
): TestDirectory {
  return {
    id,
    secret: scim.secret,
    webhookSecret: webhook.secret,
    scim: (method, path, body, headers) =>
      request(`${baseUrl}/api/scim/v2.0/${id}${path}`, method, body, {
        authorization: `Bearer ${scim.secret}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      }),
  };
}

export async function request(url: string, method: string, body: unknown, headers: Record<string, string>): Promise<ServiceResponse> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

export async function createTestNamespace() {
  const connection = await NativeConnection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
  return { connection, namespace };
}

let isRuntimeInstalled = false;
/** One runtime serves all services of a process. Its messages go to the logs of each that runs. */
const runtimeLogs = new Set<Record<string, unknown>[]>();
const { createHook } = v8.promiseHooks;
/**
 * Workflows run in this process (TEMPORAL_DEBUG), so the hook with which the SDK records their stack traces would run for each promise of the
 * service and its tests. Node 20 calls the same function for AsyncLocalStorage, which needs `before`, and loses its contexts without it.
 */
function omitStackTraces() {
  v8.promiseHooks.createHook = (hooks) => ('before' in hooks ? createHook(hooks) : () => undefined);
}

export function installRuntimeOnce() {
  if (isRuntimeInstalled) return;
  isRuntimeInstalled = true;
  installTemporalRuntime(
    createLogger('debug', {
      write(line: string) {
        for (const logs of runtimeLogs) logs.push(JSON.parse(line) as Record<string, unknown>);
      },
    }),
  );
}

export const ada = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: 'ada@example.com', primary: true, type: 'work' }],
};
