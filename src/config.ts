import { z } from 'zod';
import { StartupError } from './errors.ts';
import { defaultQuotas } from './directory/quotas.ts';
import { environments, planNames } from './limits/plans.ts';
import { defaultBudgetLimits } from './scim/budget.ts';
import { parseTimeToLive } from './time-to-live.ts';

const text = z.string().trim();
const list = text.transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);
const port = z.coerce
  .number('a port number from 0 to 65535')
  .int('a whole number')
  .min(0, 'a port number from 0 to 65535')
  .max(65535, 'a port number from 0 to 65535');
const positive = z.coerce.number('a whole number above 0').int('a whole number above 0').min(1, 'a whole number above 0');
const flag = z.enum(['true', 'false'], 'true or false').transform((value) => value === 'true');
const address = (protocols: RegExp, wanted: string) => z.url({ protocol: protocols, error: wanted });
/** By comma, or one a line as in the data folder. */
const encryptionKeys = text
  .transform((value) => value.split(/[\s,]+/).filter(Boolean))
  .refine((keys) => keys.length > 0 && keys.every((key) => Buffer.from(key, 'base64').length === 32), {
    error: 'a comma list of keys, each 32 random bytes in base64 (openssl rand -base64 32)',
  })
  .transform((keys) => keys.map((key) => Buffer.from(key, 'base64')));
/** Of a key for the JSON API, in characters. */
export const minKeyLength = 32;

/** What a file of the data folder, or of a backup, holds. */
export function readEncryptionKeys(content: string, where: string): Buffer[] {
  const { data, error } = encryptionKeys.safeParse(content);
  if (data === undefined)
    throw new StartupError(`${where} is damaged: it must hold ${error.issues[0]!.message}. Restore it from a backup.`);
  return data;
}

/** A first 0 stands for the first attempt, which is never waited for. */
const retrySchedule = list
  .transform((items) => (Number(items[0]) === 0 ? items.slice(1) : items))
  .refine((items) => items.length > 0 && items.every((item) => /^\d+(\.\d+)?$/.test(item) && Number(item) > 0 && Number(item) <= 604_800), {
    error: 'seconds by comma, like 0,5,300,1800',
  })
  .transform((items) => items.map(Number));

/** Every environment variable there is, with one sentence each. `.env.example` is held against this by a test. */
export const variables = z.object({
  HOST: text.default('127.0.0.1').describe('Address to listen on; 0.0.0.0 for every interface.'),
  PORT: port.default(5225).describe('Port to listen on; 0 takes a free one.'),
  METRICS_PORT: port
    .optional()
    .describe('Port at which /metrics is open to whoever reaches it; without it /metrics is at PORT, and wants an API key.'),
  METRICS_HOST: text.default('127.0.0.1').describe('Address to listen on at METRICS_PORT.'),
  MAX_CONNECTIONS: positive
    .max(100_000, 'at most 100000')
    .default(2_000)
    .describe('Most connections that one process accepts at once; from one address that is not in TRUSTED_PROXIES at most half of them.'),
  EXTERNAL_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe('Address under which identity providers and applications reach this service; http://HOST:PORT by default.'),
  API_KEYS: list
    .pipe(
      z
        .array(z.string().min(minKeyLength, `keys of at least ${minKeyLength} characters each, like those of \`openssl rand -hex 32\``))
        .min(1, 'at least one key'),
    )
    .optional()
    .describe(
      'Comma list of keys for the JSON API, each of at least 32 characters; `npm start` makes one and keeps it in the data folder.',
    ),
  ENCRYPTION_KEYS: encryptionKeys
    .optional()
    .describe(
      'Comma list of 32-byte keys in base64. The first encrypts, all decrypt; `npm start` makes one and keeps it in the data folder.',
    ),
  DATABASE_URL: address(/^postgres(ql)?$/, 'an address like postgres://user:password@host:5432/database')
    .optional()
    .describe('Postgres 14 or newer; `npm start` runs its own without it.'),
  DATABASE_POOL_SIZE: positive
    .default(10)
    .describe('Most database connections that one process opens; a quarter of them, at least one, is for searches that no index serves.'),
  SEARCH_TIMEOUT_MS: positive
    .min(100, 'at least 100')
    .max(60_000, 'at most 60000')
    .default(4_000)
    .describe('Longest time in milliseconds that a search or a list may run in the database; then it is cancelled, and gets 400 tooMany.'),
  SEARCHES_PER_DIRECTORY: positive
    .max(100, 'at most 100')
    .default(1)
    .describe('Most searches that no index serves which run at once for one directory, in one process.'),
  SEARCHES_WAITING_PER_DIRECTORY: positive
    .max(1_000, 'at most 1000')
    .default(10)
    .describe('Most of these searches that wait for their turn for one directory, in one process; one more gets 429 and Retry-After.'),
  TEMPORAL_ADDRESS: text
    .regex(/^[^\s/]+:\d+$/, 'host:port')
    .optional()
    .describe('Temporal frontend as host:port; `npm start` runs its own without it.'),
  TEMPORAL_NAMESPACE: text.default('default').describe('Temporal namespace.'),
  TEMPORAL_API_KEY: text.optional().describe('API key for Temporal Cloud; turns TLS on.'),
  TEMPORAL_TLS: flag.default(false).describe('Connect to Temporal by TLS.'),
  TEMPORAL_TLS_CA_FILE: text.optional().describe('File with the authority that signed the Temporal server certificate; turns TLS on.'),
  TEMPORAL_TLS_CERT_FILE: text
    .optional()
    .describe('File with the client certificate for Temporal; needs TEMPORAL_TLS_KEY_FILE and turns TLS on.'),
  TEMPORAL_TLS_KEY_FILE: text.optional().describe('File with the key of TEMPORAL_TLS_CERT_FILE.'),
  TEMPORAL_TLS_SERVER_NAME: text.optional().describe('Name to expect in the Temporal server certificate, where it is not the host name.'),
  TEMPORAL_BINARY: text.optional().describe('Path of the temporal binary that `npm start` runs; found or built without it.'),
  ROLLCALL_DATA_DIR: text.default('.rollcall').describe('Folder in which `npm start` keeps its databases and keys.'),
  MIN_FREE_DISK_BYTES: z.coerce
    .number('a whole number')
    .int('a whole number')
    .min(0, 'a whole number')
    .default(536_870_912)
    .describe(
      'Free bytes on the disk of the data folder below which changes get 503 and /health/ready says so; 0 accepts changes until the disk is full.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'fatal, error, warn, info, debug, trace or silent')
    .default('info')
    .describe('Least severe log line to write.'),
  MAX_BODY_BYTES: positive
    .max(52_428_800, 'at most 52428800')
    .default(10_485_760)
    .describe('Most bytes in the body of a SCIM Bulk request; more gets 413.'),
  MAX_RESOURCE_BODY_BYTES: positive
    .max(52_428_800, 'at most 52428800')
    .default(6_291_456)
    .describe('Most bytes in the body of a SCIM request for one group, members included; more gets 413.'),
  MAX_BODY_VALUES: positive
    .max(2_000_000, 'at most 2000000')
    .default(300_000)
    .describe('Most JSON values in the body of a SCIM request; more gets 413.'),
  MAX_RESPONSES_BYTES: positive
    .min(1_048_576, 'at least 1048576')
    .default(67_108_864)
    .describe(
      'Most bytes of users, groups, events and deliveries that one process loads at once for responses; half of it for one directory. Then 503.',
    ),
  MAX_DELIVERIES_BYTES: positive
    .min(1_048_576, 'at least 1048576')
    .default(67_108_864)
    .describe(
      'Most bytes of events and webhook bodies that one process holds at once, all directories together; small events of up to 32 KiB for each directory are not counted. Others wait in turn.',
    ),
  MAX_BODIES_BYTES: positive
    .default(33_554_432)
    .describe(
      'Most bytes of request bodies larger than 64 KiB that one process holds at once, one directory half as many; more gets 503 and Retry-After.',
    ),
  MAX_MUTATION_STEPS: positive
    .default(defaultBudgetLimits.maxSteps)
    .describe(
      'Most steps of work (about 0.2 µs each) that one SCIM request may cause, all operations of a Bulk request together; more gets 413.',
    ),
  MAX_MUTATION_BYTES: positive
    .default(defaultBudgetLimits.maxBytes)
    .describe(
      'Most bytes of resources and events that one SCIM request may read, or write; more gets 413. All large requests of a process together: twice as many.',
    ),
  MAX_USERS_PER_DIRECTORY: positive
    .default(defaultQuotas.users)
    .describe('Most users that one directory may have; a request for more gets 403.'),
  MAX_GROUPS_PER_DIRECTORY: positive.default(defaultQuotas.groups).describe('Most groups that one directory may have.'),
  MAX_MEMBERS_PER_GROUP: positive.default(defaultQuotas.groupMembers).describe('Most members of one group, pending members included.'),
  MAX_MEMBERSHIPS_PER_DIRECTORY: positive
    .default(defaultQuotas.memberships)
    .describe('Most memberships of all groups of one directory together.'),
  MAX_RESOURCE_BYTES_PER_DIRECTORY: positive
    .default(defaultQuotas.resourceBytes)
    .describe('Most bytes that the users and groups of one directory may have together, as JSON.'),
  MAX_UNDELIVERED_BYTES_PER_DIRECTORY: positive
    .default(defaultQuotas.undeliveredBytes)
    .describe(
      'Most bytes of events that one directory may have undelivered; then its changes get 503 and Retry-After. Without a webhook the oldest events are dropped.',
    ),
  MAX_HISTORY_BYTES_PER_DIRECTORY: positive
    .default(defaultQuotas.historyBytes)
    .describe(
      'Most bytes that are kept for one directory of its delivered events, and as many of its delivery log and of the outcomes of its changes; each minute the oldest beyond are dropped.',
    ),
  MAX_REPLAYS_PER_DIRECTORY: positive
    .default(defaultQuotas.replays)
    .describe('Most replays of one directory that are running or queued; one more gets 429 and Retry-After.'),
  EVENT_WAITS_PER_DIRECTORY: positive
    .max(1_000, 'at most 1000')
    .default(100)
    .describe(
      'Most requests that wait for the events of one directory, or of one tenant and product, in one process; one more gets 429 and Retry-After.',
    ),
  SCIM_TIMEOUT_MS: positive
    .max(50_000, 'at most 50000')
    .default(8_000)
    .describe(
      'Longest wait of an identity provider for a change to be committed; then it gets 503 and Retry-After, and the change may still happen.',
    ),
  INTAKE_LANES: positive
    .max(64, 'at most 64')
    .default(1)
    .describe('Most mutation workflows that one API process keeps in flight; what waits shares the next one.'),
  INTAKE_WAITING_PER_DIRECTORY: positive
    .default(1_000)
    .describe('Most changes of one directory that wait for their turn in one API process; one more gets 429 and Retry-After.'),
  INTAKE_WAITING_BYTES_PER_DIRECTORY: positive
    .default(16_777_216)
    .describe('Most bytes that these changes may have together, as JSON; a change that waits alone may have more.'),
  WEBHOOK_TIMEOUT_MS: positive
    .min(1000, 'at least 1000')
    .max(30_000, 'at most 30000')
    .default(15_000)
    .describe('Longest time a webhook exchange may take, from connecting to the last byte of the answer.'),
  WEBHOOK_RETRY_SCHEDULE: retrySchedule
    .default([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
    .describe(
      'Seconds to wait after each failed attempt, by comma; a 0 in front stands for the first attempt. After the last one delivery is disabled.',
    ),
  DSYNC_WEBHOOK_BATCH_SIZE: positive
    .max(1_000, 'at most 1000')
    .optional()
    .describe(
      'Most events in one webhook. Set, events wait and go out as arrays when they are asked for; unset, one by one as they happen.',
    ),
  DSYNC_WEBHOOK_BATCH_CRON_INTERVAL: positive
    .max(604_800, 'at most 604800')
    .optional()
    .describe('Seconds between deliveries in batches; without it POST /api/v1/dsync/cron/process-events asks for each.'),
  DSYNC_WEBHOOK_LOGS_TTL: z
    .string()
    .transform((value, context) => parseTimeToLive(value) ?? (context.addIssue('a time like 30d, 720h or 1d12h; empty for ever'), z.NEVER))
    .prefault('7d')
    .describe('How long delivered events and what was said when they were sent are kept, like 30d or 720h; empty keeps them for ever.'),
  WEBHOOK_URL: address(/^https?$/, 'an http(s) address')
    .refine(
      (url) => !URL.canParse(url) || `${new URL(url).username}${new URL(url).password}` === '',
      'an address without a user name or password in it',
    )
    .optional()
    .describe('Where the operator of the service is told of directories: created, activated, deactivated, deleted, delivery disabled.'),
  WEBHOOK_SECRET: text.optional().describe('Secret that signs what goes to WEBHOOK_URL.'),
  DSYNC_GOOGLE_CLIENT_ID: text
    .optional()
    .describe(
      'Client id of the Google OAuth client with which administrators authorise directories of type google; else GOOGLE_CLIENT_ID.',
    ),
  DSYNC_GOOGLE_CLIENT_SECRET: text.optional().describe('Its secret; else GOOGLE_CLIENT_SECRET.'),
  GOOGLE_CLIENT_ID: text.optional().describe('Stands in for DSYNC_GOOGLE_CLIENT_ID.'),
  GOOGLE_CLIENT_SECRET: text.optional().describe('Stands in for DSYNC_GOOGLE_CLIENT_SECRET.'),
  DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE: text
    .optional()
    .describe(
      'Key file of a service account with domain-wide delegation, for directories that have a google_admin_email instead of a consent.',
    ),
  DSYNC_GOOGLE_CRON_INTERVAL: positive
    .min(60, 'at least 60')
    .max(604_800, 'at most 604800')
    .default(7_200)
    .describe('Seconds between two readings of each directory of type google.'),
  DSYNC_GOOGLE_REMOVAL_PERCENT: z.coerce
    .number('a number from 0 to 100')
    .min(0, 'a number from 0 to 100')
    .max(100, 'a number from 0 to 100')
    .default(30)
    .describe('A reading that would remove a larger share of the users, groups or memberships waits for a confirmation; 100 never waits.'),
  DSYNC_GOOGLE_REMOVAL_COUNT: z.coerce
    .number('a whole number')
    .int('a whole number')
    .min(0, 'a whole number')
    .default(10)
    .describe('Removals of so many never wait for a confirmation, whatever share they are.'),
  DSYNC_GOOGLE_API_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe("Origin at which Google's Admin API is, behind a gateway of one's own; https://admin.googleapis.com by default."),
  DSYNC_GOOGLE_AUTH_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe("Likewise Google's consent page."),
  DSYNC_GOOGLE_TOKEN_URL: address(/^https?$/, 'an http(s) address')
    .optional()
    .describe("Likewise Google's token endpoint."),
  WEBHOOK_ALLOWED_NETWORKS: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'networks like 10.0.0.0/8 by comma')))
    .optional()
    .describe('Private networks, by comma, that webhooks may be sent to; `npm start` allows loopback without it.'),
  LIMITS_PLAN: z
    .enum(planNames, planNames.join(', '))
    .optional()
    .describe('Plan whose limits hold for this deployment: developer, production, growth or enterprise; without it nothing is limited.'),
  LIMITS_ENVIRONMENT: z
    .enum(environments, environments.join(', '))
    .default('production')
    .describe('Environment of that plan: production, staging or development.'),
  LIMITS_PROJECTS_FILE: text.optional().describe('JSON file with more projects, each with a plan of its own.'),
  LIMITS_RULES_FILE: text.optional().describe('YAML or JSON file with the limits that hold for every plan; sensible ones without it.'),
  LIMITS_STORE: z
    .enum(['memory', 'postgres'], 'memory or postgres')
    .default('memory')
    .describe('Where requests are counted: in the memory of one process, or in Postgres for several together.'),
  AUTH_FAILURES_PER_SOURCE: positive
    .default(60)
    .describe(
      'Failed authentications a minute from one address (of IPv6: one /64) that get 401; more get 429. Valid credentials always pass.',
    ),
  AUTH_FAILURES_PER_DIRECTORY: positive
    .default(300)
    .describe('Failed authentications a minute for one directory that get 401; more get 429. Its valid secret always passes.'),
  TRUSTED_PROXIES: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'networks like 10.0.0.0/8 by comma')))
    .optional()
    .describe('Networks, by comma, of proxies and gateways whose X-Forwarded-… and X-Rollcall-… headers are believed.'),
});

type Variables = z.infer<typeof variables>;
export type Command = 'start' | 'api' | 'worker' | 'migrate';
/** Whoever reads the settings. */
type Reader = Command | 'library';
type Needed = 'DATABASE_URL' | 'TEMPORAL_ADDRESS' | 'ENCRYPTION_KEYS' | 'API_KEYS';

const neededBy: Record<Reader, Needed[]> = {
  start: [],
  api: ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'ENCRYPTION_KEYS', 'API_KEYS'],
  worker: ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'ENCRYPTION_KEYS'],
  migrate: ['DATABASE_URL'],
  library: [],
};

/** Reads the environment once. All problems come together, by name and without any value: a value may be a secret. */
export function readConfig(env: NodeJS.ProcessEnv, command: Reader): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name in variables.shape && (value?.trim() !== '' || name === 'DSYNC_WEBHOOK_LOGS_TTL')),
  );
  const parsed = variables.safeParse(given);
  const problems = new Map<string, string>();
  for (const issue of parsed.error?.issues ?? []) problems.set(String(issue.path[0]), `wants ${issue.message}`);
  for (const name of neededBy[command]) if (given[name] === undefined) problems.set(name, `is needed by \`rollcall ${command}\``);
  if (Boolean(given['TEMPORAL_TLS_CERT_FILE']) !== Boolean(given['TEMPORAL_TLS_KEY_FILE']))
    problems.set('TEMPORAL_TLS_KEY_FILE', 'and TEMPORAL_TLS_CERT_FILE belong together');
  if (given['METRICS_PORT'] !== undefined && given['METRICS_PORT'] !== '0' && given['METRICS_PORT'] === (given['PORT'] ?? '5225'))
    problems.set('METRICS_PORT', 'must not be PORT');
  if (given['DSYNC_WEBHOOK_BATCH_CRON_INTERVAL'] !== undefined && given['DSYNC_WEBHOOK_BATCH_SIZE'] === undefined)
    problems.set('DSYNC_WEBHOOK_BATCH_CRON_INTERVAL', 'is for batches, and needs DSYNC_WEBHOOK_BATCH_SIZE');
  for (const name of ['LIMITS_PROJECTS_FILE', 'LIMITS_RULES_FILE'])
    if (given[name] !== undefined && given['LIMITS_PLAN'] === undefined) problems.set(name, 'is for limits, and needs LIMITS_PLAN');
  if (problems.size > 0 || !parsed.success)
    throw new StartupError(
      ['The configuration needs a change:', ...[...problems].map(([name, problem]) => `  ${name} ${problem}`)].join('\n'),
    );
  return toConfig(parsed.data);
}

export type Config = ReturnType<typeof toConfig>;

function toConfig(v: Variables) {
  const { TEMPORAL_TLS_CA_FILE: caFile, TEMPORAL_TLS_CERT_FILE: certFile, TEMPORAL_TLS_KEY_FILE: keyFile } = v;
  return {
    host: v.HOST,
    port: v.PORT,
    maxConnections: v.MAX_CONNECTIONS,
    metrics: v.METRICS_PORT === undefined ? undefined : { host: v.METRICS_HOST, port: v.METRICS_PORT },
    externalUrl: v.EXTERNAL_URL?.replace(/\/+$/, ''),
    apiKeys: v.API_KEYS,
    encryptionKeys: v.ENCRYPTION_KEYS,
    database: { url: v.DATABASE_URL, poolSize: v.DATABASE_POOL_SIZE },
    search: {
      searchTimeoutMs: v.SEARCH_TIMEOUT_MS,
      searchesPerDirectory: v.SEARCHES_PER_DIRECTORY,
      searchesWaitingPerDirectory: v.SEARCHES_WAITING_PER_DIRECTORY,
    },
    temporal: {
      address: v.TEMPORAL_ADDRESS,
      namespace: v.TEMPORAL_NAMESPACE,
      apiKey: v.TEMPORAL_API_KEY,
      binary: v.TEMPORAL_BINARY,
      tls:
        v.TEMPORAL_TLS || v.TEMPORAL_API_KEY || caFile || certFile
          ? { caFile, certFile, keyFile, serverName: v.TEMPORAL_TLS_SERVER_NAME }
          : undefined,
    },
    dataDir: v.ROLLCALL_DATA_DIR,
    minFreeDiskBytes: v.MIN_FREE_DISK_BYTES,
    logLevel: v.LOG_LEVEL,
    bodies: {
      maxBodyBytes: v.MAX_BODY_BYTES,
      maxResourceBodyBytes: v.MAX_RESOURCE_BODY_BYTES,
      maxBodyValues: v.MAX_BODY_VALUES,
      maxBodiesBytes: v.MAX_BODIES_BYTES,
    },
    mutations: { maxSteps: v.MAX_MUTATION_STEPS, maxBytes: v.MAX_MUTATION_BYTES },
    quotas: {
      users: v.MAX_USERS_PER_DIRECTORY,
      groups: v.MAX_GROUPS_PER_DIRECTORY,
      groupMembers: v.MAX_MEMBERS_PER_GROUP,
      memberships: v.MAX_MEMBERSHIPS_PER_DIRECTORY,
      resourceBytes: v.MAX_RESOURCE_BYTES_PER_DIRECTORY,
      undeliveredBytes: v.MAX_UNDELIVERED_BYTES_PER_DIRECTORY,
      historyBytes: v.MAX_HISTORY_BYTES_PER_DIRECTORY,
      replays: v.MAX_REPLAYS_PER_DIRECTORY,
      searches: v.SEARCHES_PER_DIRECTORY,
    },
    intake: {
      timeoutMs: v.SCIM_TIMEOUT_MS,
      lanes: v.INTAKE_LANES,
      maxWaitingPerDirectory: v.INTAKE_WAITING_PER_DIRECTORY,
      maxWaitingBytesPerDirectory: v.INTAKE_WAITING_BYTES_PER_DIRECTORY,
    },
    maxResponsesBytes: v.MAX_RESPONSES_BYTES,
    eventWaitsPerDirectory: v.EVENT_WAITS_PER_DIRECTORY,
    webhooks: {
      timeoutMs: v.WEBHOOK_TIMEOUT_MS,
      maxBytes: v.MAX_DELIVERIES_BYTES,
      retryDelaysMs: v.WEBHOOK_RETRY_SCHEDULE.map((wait) => wait * 1000),
      keepLogsMs: Number.isFinite(v.DSYNC_WEBHOOK_LOGS_TTL) ? v.DSYNC_WEBHOOK_LOGS_TTL : undefined,
      batchSize: v.DSYNC_WEBHOOK_BATCH_SIZE,
      batchEverySeconds: v.DSYNC_WEBHOOK_BATCH_CRON_INTERVAL,
      operator: v.WEBHOOK_URL === undefined ? undefined : { url: v.WEBHOOK_URL, secret: v.WEBHOOK_SECRET },
      allowedNetworks: v.WEBHOOK_ALLOWED_NETWORKS,
    },
    authentication: { perSource: v.AUTH_FAILURES_PER_SOURCE, perDirectory: v.AUTH_FAILURES_PER_DIRECTORY },
    trustedProxies: v.TRUSTED_PROXIES ?? [],
    limits:
      v.LIMITS_PLAN === undefined
        ? undefined
        : {
            plan: v.LIMITS_PLAN,
            environment: v.LIMITS_ENVIRONMENT,
            projectsFile: v.LIMITS_PROJECTS_FILE,
            rulesFile: v.LIMITS_RULES_FILE,
            store: v.LIMITS_STORE,
          },
    google: {
      clientId: v.DSYNC_GOOGLE_CLIENT_ID ?? v.GOOGLE_CLIENT_ID,
      clientSecret: v.DSYNC_GOOGLE_CLIENT_SECRET ?? v.GOOGLE_CLIENT_SECRET,
      serviceAccountFile: v.DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE,
      everySeconds: v.DSYNC_GOOGLE_CRON_INTERVAL,
      removals: { share: v.DSYNC_GOOGLE_REMOVAL_PERCENT / 100, count: v.DSYNC_GOOGLE_REMOVAL_COUNT },
      apiUrl: v.DSYNC_GOOGLE_API_URL,
      authUrl: v.DSYNC_GOOGLE_AUTH_URL,
      tokenUrl: v.DSYNC_GOOGLE_TOKEN_URL,
    },
  };
}
