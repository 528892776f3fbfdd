import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from '../client/index.ts';
import type { Config } from '../config.ts';
import { readEncryptionKeys } from '../config/server.ts';
import { createLogger, type Logger } from '../logger.ts';
import { parseTimeToLive } from '../shared/time-to-live.ts';
import type { RunningWork } from '../app/running-work.ts';
import { createToldEvents } from '../store/told-events.ts';
import { createEventHandover } from './event-handover.ts';
import { createGoogle } from './google.ts';
import { createCalls } from './calls.ts';
import { createInject, createInjectedFetch } from './inject.ts';
import { inOptions, toConfig } from './options.ts';
import type { EventCallback, RollcallEvent, RollcallOptions } from './rollcall-options.ts';
import { createScimRequests, type ScimRequests } from './scim-requests.ts';
import { createSync, type Sync } from './sync.ts';
import type { OwnPorts } from '../webhooks/guard.ts';

export type * from '../client/index.ts';
export type { EventCallback, RollcallEvent, RollcallOptions };
export type { ScimAnswer, ScimRequest, ScimRequests } from './scim-requests.ts';
export type { Sync } from './sync.ts';

/** Directory sync inside an application: the operations of the HTTP API, over the same code. */
export interface Rollcall extends Omit<Client, 'google' | 'health' | 'limits'> {
  google: ReturnType<typeof createGoogle>;
  /** What identity providers send. */
  requests: ScimRequests;
  sync: Sync;
  /**
   * The whole HTTP surface, for a server of Node: the SCIM addresses, which each directory's secret opens, and the JSON API, which
   * `apiKeys` open. Nothing may have read the body before.
   */
  handler(this: void, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Finishes what is under way. */
  stop(): Promise<void>;
}

/**
 * Starts Rollcall in this process.
 *
 * @example
 * const { directories, requests } = await rollcall({ databaseUrl: 'postgres://…', encryptionKeys: ['…'] });
 */
export async function rollcall(options: RollcallOptions = {}): Promise<Rollcall> {
  try {
    return await start(options);
  } catch (error) {
    throw inOptions(error);
  }
}

async function start(options: RollcallOptions): Promise<Rollcall> {
  const config = toConfig(options);
  const log = createLogger(config.logLevel, options.logTo && withoutThrowing(options.logTo), config.logFormat);
  const place = await openPlace(config, log);
  try {
    const dropEventsAfterMs = options.dropEventsAfter === undefined ? undefined : parseTimeToLive(options.dropEventsAfter);
    return serve(await startWork(config, place, log, dropEventsAfterMs), { config, log, options, closePlace: place.close });
  } catch (error) {
    await place.close();
    throw error;
  }
}

/** A log that fails is no reason for anything else to fail. */
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

/** A Postgres of yours, or one of our own. */
async function openPlace(config: Config, log: Logger): Promise<Place> {
  const { database, encryptionKeys, dataDir } = config;
  if (database.url !== undefined) {
    return { databaseUrl: database.url, encryptionKeys: encryptionKeys!, close: () => Promise.resolve() };
  }
  const [{ openDataFolder }, { startPostgres }] = await Promise.all([
    import('../embedded/data-folder.ts'),
    import('../embedded/postgres.ts'),
  ]);
  log.warn({ dataDir }, 'no databaseUrl is given: Rollcall runs a Postgres of its own, and keeps it in this folder');
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

/** Temporal's parts are loaded only where they are used. */
async function startWork(
  config: Config,
  { databaseUrl, encryptionKeys, ownPorts }: Place,
  log: Logger,
  dropEventsAfterMs: number | undefined,
): Promise<RunningWork> {
  const storage = {
    config,
    databaseUrl,
    encryptionKeys,
    log,
    allowedNetworks: config.webhooks.allowedNetworks ?? [],
    ...(ownPorts && { ownPorts }),
  };
  if (config.temporal.address === undefined) {
    const { startDirectly } = await import('../app/direct-runtime.ts');
    return startDirectly({ ...storage, dropEventsAfterMs });
  }
  const [{ startOnTemporal }, { shareTemporalRuntime }] = await Promise.all([
    import('../app/temporal-runtime.ts'),
    import('../temporal/runtime.ts'),
  ]);
  shareTemporalRuntime(log);
  return startOnTemporal({ ...storage, temporalAddress: config.temporal.address, deliver: true });
}

interface Served {
  config: Config;
  log: Logger;
  options: RollcallOptions;
  closePlace(): Promise<void>;
}

function serve(work: RunningWork, { config, log, options: { onEvent }, closePlace }: Served): Rollcall {
  const handover = createEventHandover({ readEvents: createToldEvents(work.storage.db), onEvent, log });
  // Known in this process alone.
  const ownKey = randomBytes(32).toString('base64url');
  const baseUrl = config.externalUrl ?? 'http://localhost';
  const api = work.composeApi({
    apiKeys: [ownKey, ...(config.apiKeys ?? [])],
    limiting: undefined,
    baseUrl: () => baseUrl,
    watchIntake: handover.watchIntake,
    watchApply: handover.watchApply,
    tellSynced: handover.tellSynced,
  });
  const calls = createCalls();
  const handler = calls.watch(api.app.callback());
  const send = createInject(handler);
  // What this process alone can not answer has no place here: `health` of a service, and its `limits`.
  const {
    health: _health,
    limits: _limits,
    google,
    ...operations
  } = createClient({
    baseUrl: 'http://in-process',
    apiKey: ownKey,
    fetch: createInjectedFetch(send),
  });
  let stopped: Promise<void> | undefined;
  return {
    ...operations,
    google: createGoogle({ google }),
    requests: createScimRequests({ send, handover }),
    sync: createSync({ client: operations, handover, hasTemporal: config.temporal.address !== undefined }),
    handler,
    stop: () => (stopped ??= stop()),
  };

  async function stop(): Promise<void> {
    api.stopWaiting();
    await calls.end(patienceMs);
    await work.stop();
    // What a reading told on its way out.
    await Promise.race([handover.settled(), sleep(patienceMs, undefined, { ref: false })]);
    await closePlace();
  }
}

/** How long calls that are under way may take when all is to end. */
const patienceMs = 9_000;
