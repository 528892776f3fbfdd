#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type Service, type ServiceOptions } from './compose.ts';
import { readConfig, type Command, type Config } from './config.ts';
import { startServers } from './embedded/servers.ts';
import { AppError, StartupError } from './errors.ts';
import { listen } from './http/listen.ts';
import { createLogger, type Logger } from './logger.ts';
import { packageRoot } from './paths.ts';
import { migrate } from './store/migrate.ts';
import { tellingOutages } from './store/outage.ts';
import { connectTemporal } from './temporal/connect.ts';
import { installTemporalRuntime } from './temporal/runtime.ts';
import { registerSearchAttributes } from './temporal/search-attributes.ts';

const usage = `rollcall <command>

  start     everything in one: API, workers and, where no address is given, Postgres and Temporal of its own
  api       the API, against DATABASE_URL and TEMPORAL_ADDRESS
  worker    the webhook deliveries, against the same
  migrate   brings the database at DATABASE_URL up to date, and the namespace at TEMPORAL_ADDRESS if given
  help      this text

Settings are environment variables, also read from a file .env in the working folder; .env.example explains each.`;

const loopback = ['127.0.0.0/8', '::1/128'];

async function run(argument: string | undefined): Promise<void> {
  if (argument === undefined || ['help', '--help', '-h'].includes(argument)) return console.log(usage);
  if (['version', '--version', '-v'].includes(argument)) return console.log(version());
  if (!isCommand(argument)) throw new StartupError(`There is no command ${argument}.\n\n${usage}`);
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = readConfig(process.env, argument);
  const log = createLogger(config.logLevel);
  if (argument === 'migrate') {
    await onDatabase.migrateAll(config, log);
    return console.log('The database is up to date.');
  }
  installTemporalRuntime(log);
  const drained = argument === 'start' ? await startAlone(config, log) : await startPart(argument, config, log);
  drainOnSignal(drained, log);
}

async function migrateAll({ database, temporal }: Config, log: Logger): Promise<void> {
  await migrate(database.url!);
  if (temporal.address === undefined) return;
  // Without a connection to end with, it would keep the process.
  installTemporalRuntime(log);
  const connection = await connectTemporal({ ...temporal, address: temporal.address });
  await registerSearchAttributes(connection, temporal.namespace);
  await connection.close();
}

/** A database that goes away meanwhile is told as one, and not as the statement that happened to be under way. */
const onDatabase = tellingOutages({ startService, migrateAll });

/** Said before anything is started for nothing. */
async function requireFreePort(config: Config): Promise<void> {
  const probe = await listen(() => undefined, config);
  await probe.close(0);
}

interface Running {
  stop(): Promise<void>;
}

async function startAlone(config: Config, log: Logger): Promise<Running> {
  await requireFreePort(config);
  const servers = await startServers({ config, path: process.env['PATH'], root: packageRoot, log });
  try {
    const service = await onDatabase.startService({
      config,
      log,
      deliver: true,
      databaseUrl: servers.databaseUrl,
      temporalAddress: servers.temporalAddress,
      encryptionKeys: servers.encryptionKeys,
      apiKeys: servers.apiKeys,
      allowedNetworks: config.webhooks.allowedNetworks ?? loopback,
    });
    console.log(welcome(service, config, servers.newApiKey));
    return { stop: () => service.stop().finally(() => servers.stop()) };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

async function startPart(command: 'api' | 'worker', config: Config, log: Logger): Promise<Running> {
  const options: ServiceOptions = {
    config,
    log,
    deliver: command === 'worker',
    databaseUrl: config.database.url!,
    temporalAddress: config.temporal.address!,
    encryptionKeys: config.encryptionKeys!,
    allowedNetworks: config.webhooks.allowedNetworks ?? [],
    ...(command === 'api' && { apiKeys: config.apiKeys! }),
  };
  const service = await onDatabase.startService(options);
  log.info({ address: service.baseUrl }, `rollcall ${command} is ready`);
  return service;
}

function welcome({ baseUrl }: Service, { dataDir, webhooks, apiKeys }: Config, newApiKey: string | undefined): string {
  const kept = join(dataDir, 'api-key');
  const key = apiKeys ? 'as API_KEYS says' : newApiKey ? `${newApiKey}  (made now; kept in ${kept})` : `in ${kept}`;
  const lines = ['', `Rollcall is ready at ${baseUrl}`, `  API key  ${key}`, `  Data     ${dataDir}`];
  if (!webhooks.allowedNetworks) lines.push('  Webhooks to this machine (loopback) are allowed; WEBHOOK_ALLOWED_NETWORKS changes that.');
  return `${lines.join('\n')}\n`;
}

/** What does not answer, a database say, must not keep us; what is not finished goes on elsewhere or at the next start. */
const drainMs = 14_000;

/** One Ctrl-C in a terminal may arrive twice; a second one by hand, later, ends at once. */
function drainOnSignal(running: Running, log: Logger) {
  let drainingSinceMs: number | undefined;
  const drain = async (signal: string) => {
    if (drainingSinceMs !== undefined) {
      if (Date.now() - drainingSinceMs > 1_000) process.exit(1);
      return;
    }
    drainingSinceMs = Date.now();
    log.info(`${signal}: finishing what is under way`);
    const isLate = await Promise.race([running.stop(), sleep(drainMs, 'late')]);
    log[isLate ? 'warn' : 'info'](isLate ? 'stopped, though not everything could be finished' : 'stopped');
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void drain(signal).catch(fail));
}

const isCommand = (text: string): text is Command => ['start', 'api', 'worker', 'migrate'].includes(text);
const version = () => (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;

function fail(error: unknown): never {
  console.error(tell(error));
  process.exit(1);
}

function tell(error: unknown): unknown {
  if (error instanceof StartupError) return error.message;
  if (error instanceof AppError && error.code === 'unavailable')
    return `Postgres went away during the start (${reasonOf(error.cause)}): start again, and it goes on from there; nothing is lost.`;
  return error;
}

/** knex puts the statement before the reason. */
const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message.split(' - ').at(-1) : String(cause));

run(process.argv[2]).catch(fail);
