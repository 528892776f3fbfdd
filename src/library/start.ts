import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createClient, type Client } from '../client/index.ts';
import type { Config } from '../config.ts';
import { readEncryptionKeys } from '../config/server.ts';
import { createLogger, type Logger } from '../logger.ts';
import { parseDuration } from '../shared/parse-duration.ts';

import { withTemporalPackages } from '../shared/temporal-packages.ts';
import { waitAtMost } from '../shared/timeout.ts';
import type { InProcessCalls } from '../app/in-process-calls.ts';
import type { DirectOptions } from '../app/direct-runtime.ts';
import type { RollcallRuntime } from '../app/runtime.ts';
import { createReadEmittedEvents } from '../store/changes/emitted-events.ts';
import { createEventCallbacks } from './event-callbacks.ts';
import { createCallTracker, createInject, createInjectedFetch } from './inject.ts';
import { type RollcallOptions, toConfig, toOptionNames } from './rollcall-options.ts';
import { createScimRequests, type ScimRequests } from './scim-requests.ts';
import { createSync, type Sync } from './sync.ts';
import type { OwnPorts } from '../webhooks/address-guard.ts';

/** Directory sync inside an application: the operations of the HTTP API, with the same code. */
export interface Rollcall extends Omit<Client, 'google' | 'entra' | 'health' | 'limits' | 'readSnapshot' | 'mirror'> {
  google: ReturnType<typeof createGoogle>;
  entra: ReturnType<typeof createEntra>;
  /** Requests from identity providers. */
  requests: ScimRequests;
  sync: Sync;
  /**
   * The whole HTTP API as a handler for a Node server: the SCIM API, authenticated by each directory's secret, and the JSON API,
   * authenticated by `apiKeys`. The request's body must not have been read.
   */
  handler(this: void, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Waits for requests in flight, then stops. */
  stop(): Promise<void>;
}

export interface StartedRollcall {
  rollcall: Rollcall;
  /** For `rollcall/jackson`. */
  inProcess: InProcessCalls;
}

export async function startRollcall(options: RollcallOptions = {}): Promise<StartedRollcall> {
  try {
    return await start(options);
  } catch (error) {
    throw toOptionNames(error);
  }
}

async function start(options: RollcallOptions): Promise<StartedRollcall> {
  const config = toConfig(options);
  const log = createLogger(config.logLevel, options.logTo && withoutThrowing(options.logTo), config.logFormat);
  const place = await openPlace(config, log);
  try {
    const dropEventsAfterMs = options.dropEventsAfter === undefined ? undefined : parseDuration(options.dropEventsAfter);
    return serve(await startWork(config, place, log, { dropEventsAfterMs, deliver: options.deliverWebhooks ?? false }), {
      config,
      log,
      options,
      closePlace: place.close,
    });
  } catch (error) {
    await place.close();
    throw error;
  }
}

/** A failing log must not break anything else. */
const withoutThrowing = (logTo: NonNullable<RollcallOptions['logTo']>) => ({
  write(line: string) {
    try {
      logTo.write(line);
    } catch {}
  },
});

interface Place {
  databaseUrl: string;
  encryptionKeys: Buffer[];
  ownPorts?: OwnPorts;
  close(): Promise<void>;
}

/** The given Postgres, or an embedded one. */
async function openPlace(config: Config, log: Logger): Promise<Place> {
  const { database, encryptionKeys, dataDir } = config;
  if (database.url !== undefined) {
    return { databaseUrl: database.url, encryptionKeys: encryptionKeys!, close: () => Promise.resolve() };
  }
  const [{ openDataFolder }, { startPostgres }] = await Promise.all([
    import('../embedded/data-folder.ts'),
    import('../embedded/postgres.ts'),
  ]);
  log.warn({ dataDir }, 'no databaseUrl; running an embedded Postgres with its data in this folder');
  const folder = await openDataFolder(dataDir, { apiKey: false, encryptionKey: encryptionKeys === undefined, postgresPassword: true });
  const postgres = await startPostgres({
    dataDir: join(dataDir, 'postgres'),
    password: folder.postgresPassword,
    log: (message, level = 'info') => log[level](message),
  });
  return {
    databaseUrl: postgres.url,
    encryptionKeys: encryptionKeys ?? readEncryptionKeys(folder.encryptionKey, join(dataDir, 'encryption-key')),
    ownPorts: new Set([postgres.port]),
    close: () => postgres.stop(),
  };
}

/** Temporal's modules are loaded only if they are used. */
async function startWork(
  config: Config,
  { databaseUrl, encryptionKeys, ownPorts }: Place,
  log: Logger,
  direct: Pick<DirectOptions, 'dropEventsAfterMs' | 'deliver'>,
): Promise<RollcallRuntime> {
  const storage = {
    config,
    databaseUrl,
    encryptionKeys,
    log,
    allowedNetworks: config.webhooks.allowedNetworks ?? [],
    ...(ownPorts && { ownPorts }),
  };
  if (config.temporal.address === undefined) {
    const { startDirectRuntime } = await import('../app/direct-runtime.ts');
    return startDirectRuntime({ ...storage, ...direct });
  }
  const [{ startTemporalRuntime }, { shareTemporalRuntime }] = await withTemporalPackages(() =>
    Promise.all([import('../app/temporal-runtime.ts'), import('../temporal/runtime.ts')]),
  );
  shareTemporalRuntime(log);
  return startTemporalRuntime({ ...storage, temporalAddress: config.temporal.address, deliver: true });
}

interface Served {
  config: Config;
  log: Logger;
  options: RollcallOptions;
  closePlace(): Promise<void>;
}

function serve(work: RollcallRuntime, { config, log, options: { onEvent }, closePlace }: Served): StartedRollcall {
  const callbacks = createEventCallbacks({ readEvents: createReadEmittedEvents(work.storage.db), onEvent, log });
  // It never leaves this process.
  const ownKey = randomBytes(32).toString('base64url');
  const baseUrl = config.externalUrl ?? 'http://localhost';
  const api = work.createApi({
    // The last one, so that the others have the positions that they have in `apiKeys`.
    apiKeys: [...(config.apiKeys ?? []), ownKey],
    libraryKey: ownKey,
    limiting: undefined,
    baseUrl: () => baseUrl,
    watchIntake: callbacks.watchIntake,
    watchCommits: callbacks.watchApply,
    onSynced: callbacks.dispatchSynced,
  });
  const calls = createCallTracker();
  const handler = calls.watch(api.app.callback());
  const send = createInject(handler);
  // `health` and `limits` belong to a service, not to a process that embeds the library.
  const {
    health: _health,
    limits: _limits,
    // A call in this process holds its whole response in memory, and a snapshot has no limit.
    readSnapshot: _readSnapshot,
    mirror: _mirror,
    google,
    entra,
    ...operations
  } = createClient({
    baseUrl: 'http://in-process',
    apiKey: ownKey,
    fetch: createInjectedFetch(send),
  });
  let stopped: Promise<void> | undefined;
  return {
    rollcall: {
      ...operations,
      google: createGoogle({ google }),
      entra: createEntra({ entra }),
      requests: createScimRequests({ send, callbacks, limits: config.bodies }),
      sync: createSync({ client: operations, callbacks, hasTemporal: config.temporal.address !== undefined }),
      handler,
      stop: () => (stopped ??= stop()),
    },
    inProcess: api.inProcess,
  };

  async function stop(): Promise<void> {
    api.stopWaiting();
    await calls.end(stopTimeoutMs);
    await api.recordFailedAuthentications();
    await work.stop();
    // Events that a sync dispatched while stopping.
    await waitAtMost(stopTimeoutMs, callbacks.settled());
    await closePlace();
  }
}

/** Maximum time that `stop` waits for calls in flight. */
const stopTimeoutMs = 9_000;

/** The call forms of the specification: one object per call. */
const createGoogle = ({ google }: Pick<Client, 'google'>) => ({
  generateAuthorizationUrl: ({ directoryId }: { directoryId: string }) => google.generateAuthorizationUrl(directoryId),

  getAccessToken: ({ directoryId, code, state }: { directoryId: string; code: string; state?: string | undefined }) =>
    google.getAccessToken(directoryId, { code, ...(state !== undefined && { state }) }),

  setToken: ({ directoryId, ...tokens }: { directoryId: string; accessToken: string; refreshToken: string }) =>
    google.setToken(directoryId, tokens),
});

const createEntra = ({ entra }: Pick<Client, 'entra'>) => ({
  generateAuthorizationUrl: ({ directoryId }: { directoryId: string }) => entra.generateAuthorizationUrl(directoryId),

  setTenant: ({ directoryId, tenant, state }: { directoryId: string; tenant: string; state: string }) =>
    entra.setTenant(directoryId, { tenant, state }),
});
