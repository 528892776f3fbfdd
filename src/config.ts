import { isLoopbackHost } from './shared/loopback-host.ts';
import { z } from 'zod';
import { auditSettings } from './config/audit.ts';
import { databaseSettings, temporalSettings } from './config/database.ts';
import { csvSettings } from './config/csv.ts';
import { healthSettings } from './config/health.ts';
import { limitSettings, quotaSettings, requestSettings } from './config/limits.ts';
import { serverSettings } from './config/server.ts';
import { signInSettings } from './config/sign-in.ts';
import { setupSettings } from './config/setup.ts';
import { entraSettings, googleSettings, removalSettings } from './config/syncs.ts';
import { webhookSettings } from './config/webhooks.ts';
import { StartupError } from './errors.ts';
import { findTypo, suggest } from './shared/suggest.ts';

/** Every environment variable, with a one-sentence description. A test compares them with `.env.example`. */
export const variables = z.object({
  ...serverSettings,
  ...databaseSettings,
  ...temporalSettings,
  ...requestSettings,
  ...quotaSettings,
  ...webhookSettings,
  ...signInSettings,
  ...auditSettings,
  ...healthSettings,
  ...setupSettings,
  ...removalSettings,
  ...googleSettings,
  ...entraSettings,
  ...csvSettings,
  ...limitSettings,
});

type Variables = z.infer<typeof variables>;
export type Command = 'start' | 'api' | 'worker' | 'migrate';
type Reader = Command | 'library';
type Needed = 'DATABASE_URL' | 'TEMPORAL_ADDRESS' | 'ENCRYPTION_KEYS' | 'API_KEYS';

/** An empty value means something else than a missing one. */
const unlimitedIfEmpty = new Set(['DSYNC_WEBHOOK_LOGS_TTL', 'AUDIT_LOG_TTL', 'SCIM_REQUESTS_TTL', 'DIRECTORY_STALE_AFTER']);

const neededBy: Record<Reader, Needed[]> = {
  start: [],
  api: ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'ENCRYPTION_KEYS', 'API_KEYS'],
  worker: ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'ENCRYPTION_KEYS'],
  migrate: ['DATABASE_URL'],
  library: [],
};

/** Settings that have an effect only together with another one. */
const dependent: [name: keyof Variables, required: keyof Variables][] = [
  ['MIGRATIONS', 'DATABASE_URL'],
  ['DATABASE_POOLER', 'DATABASE_URL'],
  ['DATABASE_READ_URL', 'DATABASE_URL'],
  ['DSYNC_WEBHOOK_BATCH_CRON_INTERVAL', 'DSYNC_WEBHOOK_BATCH_SIZE'],
  ['AUDIT_LOG_WEBHOOK', 'WEBHOOK_URL'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_SECRET'],
  ['OIDC_ISSUER', 'OIDC_ROLES'],
  ['OIDC_CLIENT_ID', 'OIDC_ISSUER'],
  ['OIDC_CLIENT_SECRET', 'OIDC_ISSUER'],
  ['OIDC_ROLES', 'OIDC_ISSUER'],
  ['LIMITS_PROJECTS_FILE', 'LIMITS_PLAN'],
  ['LIMITS_RULES_FILE', 'LIMITS_PLAN'],
];

/**
 * Reads the environment once. Reports all problems together, also unknown settings, which may be why a required one is missing. By name and
 * never with a value: a value may be a secret.
 */
export function readConfig(env: NodeJS.ProcessEnv, command: Reader): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name in variables.shape && (value?.trim() !== '' || unlimitedIfEmpty.has(name))),
  );
  const parsed = variables.safeParse(given);
  const problems = new Map<string, string>();
  for (const issue of parsed.error?.issues ?? []) problems.set(String(issue.path[0]), `must be ${issue.message}`);
  for (const name of neededBy[command]) if (given[name] === undefined) problems.set(name, `is required by \`rollcall ${command}\``);
  if (Boolean(given['TEMPORAL_TLS_CERT_FILE']) !== Boolean(given['TEMPORAL_TLS_KEY_FILE']))
    problems.set('TEMPORAL_TLS_KEY_FILE', 'and TEMPORAL_TLS_CERT_FILE must be set together');
  if (given['METRICS_PORT'] !== undefined && given['METRICS_PORT'] !== '0' && given['METRICS_PORT'] === (given['PORT'] ?? '5225'))
    problems.set('METRICS_PORT', 'must differ from PORT');
  if (given['DSYNC_ENTRA_CLIENT_SECRET'] !== undefined && given['DSYNC_ENTRA_CERTIFICATE_FILE'] !== undefined)
    problems.set('DSYNC_ENTRA_CERTIFICATE_FILE', "can't be combined with DSYNC_ENTRA_CLIENT_SECRET");
  for (const [name, required] of dependent)
    if (given[name] !== undefined && given[required] === undefined) problems.set(name, `requires ${required}`);
  if (problems.size > 0 || !parsed.success) {
    const lines = [...[...problems].map(([name, problem]) => `${name} ${problem}`), ...findUnknownSettings(Object.keys(env))];
    throw new StartupError(['Invalid configuration:', ...lines.map((line) => `  ${line}`)].join('\n'));
  }
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
    showsSecretsOnce: v.SECRETS_SHOWN_ONCE,
    scimAccessTokenMs: v.SCIM_ACCESS_TOKEN_TTL,
    encryptionKeys: v.ENCRYPTION_KEYS,
    database: {
      url: v.DATABASE_URL,
      pooler: v.DATABASE_POOLER,
      migrates: v.MIGRATIONS === 'auto',
      poolSize: v.DATABASE_POOL_SIZE,
      replica: v.DATABASE_READ_URL === undefined ? undefined : { url: v.DATABASE_READ_URL, maxLagMs: v.DATABASE_READ_MAX_LAG_MS },
    },
    snapshots: { maxConcurrent: v.SNAPSHOTS, timeoutMs: v.SNAPSHOT_TIMEOUT_MS },
    search: {
      searchTimeoutMs: v.SEARCH_TIMEOUT_MS,
      searchesPerDirectory: v.SEARCHES_PER_DIRECTORY,
      searchesWaitingPerDirectory: v.SEARCHES_WAITING_PER_DIRECTORY,
    },
    temporal: {
      address: v.TEMPORAL_ADDRESS,
      namespace: v.TEMPORAL_NAMESPACE,
      uiUrl: v.TEMPORAL_UI_URL,
      // Elsewhere, the browser of an administrator has no cookie for it, and cannot reach it.
      uiPort: v.EXTERNAL_URL === undefined || isLoopbackHost(new URL(v.EXTERNAL_URL).host) ? v.TEMPORAL_UI_PORT : 0,
      apiKey: v.TEMPORAL_API_KEY,
      binary: v.TEMPORAL_BINARY,
      tls:
        v.TEMPORAL_TLS || v.TEMPORAL_API_KEY || caFile || certFile
          ? { caFile, certFile, keyFile, serverName: v.TEMPORAL_TLS_SERVER_NAME }
          : undefined,
    },
    dataDir: v.ROLLCALL_DATA_DIR,
    minFreeDiskBytes: v.MIN_FREE_DISK_BYTES,
    lowDisk: { freeBytes: v.LOW_DISK_BYTES ?? 4 * v.MIN_FREE_DISK_BYTES, bytesPerDirectory: v.LOW_DISK_BYTES_PER_DIRECTORY },
    logLevel: v.LOG_LEVEL,
    logFormat: v.LOG_FORMAT,
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
      groupsPerMember: v.MAX_GROUPS_PER_MEMBER,
      memberships: v.MAX_MEMBERSHIPS_PER_DIRECTORY,
      resourceBytes: v.MAX_RESOURCE_BYTES_PER_DIRECTORY,
      undeliveredBytes: v.MAX_UNDELIVERED_BYTES_PER_DIRECTORY,
      historyBytes: v.MAX_HISTORY_BYTES_PER_DIRECTORY,
      stagedBytes: v.MAX_STAGED_BYTES_PER_DIRECTORY,
      replays: v.MAX_REPLAYS_PER_DIRECTORY,
      searches: v.SEARCHES_PER_DIRECTORY,
    },
    intake: {
      timeoutMs: v.SCIM_TIMEOUT_MS,
      lanes: v.INTAKE_LANES,
      maxWaitingPerDirectory: v.INTAKE_WAITING_PER_DIRECTORY,
      maxWaitingBytesPerDirectory: v.INTAKE_WAITING_BYTES_PER_DIRECTORY,
    },
    changesPerHour: v.CHANGES_PER_HOUR_PER_DIRECTORY,
    maxResponsesBytes: v.MAX_RESPONSES_BYTES,
    eventWaitsPerDirectory: v.EVENT_WAITS_PER_DIRECTORY,
    webhooks: {
      timeoutMs: v.WEBHOOK_TIMEOUT_MS,
      legacySignatures: v.WEBHOOK_LEGACY_SIGNATURES,
      maxBytes: v.MAX_DELIVERIES_BYTES,
      retryDelaysMs: v.WEBHOOK_RETRY_SCHEDULE.map((wait) => wait * 1000),
      keepLogsMs: Number.isFinite(v.DSYNC_WEBHOOK_LOGS_TTL) ? v.DSYNC_WEBHOOK_LOGS_TTL : undefined,
      batchSize: v.DSYNC_WEBHOOK_BATCH_SIZE,
      batchEverySeconds: v.DSYNC_WEBHOOK_BATCH_CRON_INTERVAL,
      operator: v.WEBHOOK_URL === undefined ? undefined : { url: v.WEBHOOK_URL, secret: v.WEBHOOK_SECRET },
      allowedNetworks: v.WEBHOOK_ALLOWED_NETWORKS,
    },
    sessions: { idleMs: v.SESSION_IDLE_TTL, maxMs: v.SESSION_TTL },
    oidc:
      v.OIDC_ISSUER === undefined
        ? undefined
        : {
            issuer: v.OIDC_ISSUER,
            clientId: v.OIDC_CLIENT_ID!,
            clientSecret: v.OIDC_CLIENT_SECRET!,
            scope: v.OIDC_SCOPE,
            roleClaim: v.OIDC_ROLE_CLAIM,
            roles: v.OIDC_ROLES!,
          },
    audit: {
      keepMs: Number.isFinite(v.AUDIT_LOG_TTL) ? v.AUDIT_LOG_TTL : undefined,
      emits: v.AUDIT_LOG_WEBHOOK && v.WEBHOOK_URL !== undefined,
    },
    setup: { linkTtlMs: v.SETUP_LINK_EXPIRY_DAYS * 86_400_000, brandingFile: v.BRANDING_FILE },
    keepRequestsMs: Number.isFinite(v.SCIM_REQUESTS_TTL) ? v.SCIM_REQUESTS_TTL : undefined,
    staleAfterMs: Number.isFinite(v.DIRECTORY_STALE_AFTER) ? v.DIRECTORY_STALE_AFTER : undefined,
    metricsByDirectory: v.METRICS_BY_DIRECTORY,
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
      apiUrl: v.DSYNC_GOOGLE_API_URL,
      authUrl: v.DSYNC_GOOGLE_AUTH_URL,
      tokenUrl: v.DSYNC_GOOGLE_TOKEN_URL,
    },
    entra: {
      clientId: v.DSYNC_ENTRA_CLIENT_ID,
      clientSecret: v.DSYNC_ENTRA_CLIENT_SECRET,
      certificateFile: v.DSYNC_ENTRA_CERTIFICATE_FILE,
      everySeconds: v.DSYNC_ENTRA_CRON_INTERVAL,
      loginUrl: v.DSYNC_ENTRA_LOGIN_URL,
      graphUrl: v.DSYNC_ENTRA_GRAPH_URL,
    },
    csv: { maxFileBytes: v.DSYNC_CSV_MAX_FILE_BYTES },
    removals: {
      share: (v.DSYNC_REMOVAL_PERCENT ?? v.DSYNC_GOOGLE_REMOVAL_PERCENT ?? 30) / 100,
      count: v.DSYNC_REMOVAL_COUNT ?? v.DSYNC_GOOGLE_REMOVAL_COUNT ?? 10,
    },
  };
}

/** Variables of the command line, not of the service. */
const others = ['ROLLCALL_URL', 'ROLLCALL_API_KEY', 'POLIS_API_KEY', 'POLIS_ENCRYPTION_KEY'];

const minLength = 8;

/** Messages about variables that are not settings but resemble one. They never contain a value. */
export function findUnknownSettings(names: readonly string[]): string[] {
  const known = [...Object.keys(variables.shape), ...others];
  return names.flatMap((name) => {
    if (known.includes(name)) return [];
    const suggestion = !name.includes('_')
      ? findUnsetWord(name, known, names)
      : name.length < minLength
        ? findUnsetPlural(name, known, names)
        : (findWithoutSuffix(name, known) ?? findTypo(name, known));
    return suggestion === undefined ? [] : [`Unknown setting ${name}.${suggest(suggestion)}`];
  });
}

/** PROT for PORT. A single word may belong to another program. It is reported only if the setting is not set. */
function findUnsetWord(name: string, known: string[], names: readonly string[]): string | undefined {
  const words = known.filter((one) => !one.includes('_') && !names.includes(one) && one[0] === name[0]?.toUpperCase());
  return words.includes(name.toUpperCase()) ? name.toUpperCase() : findTypo(name, words);
}

/** A short name may belong to another program. It is reported only if its plural is a setting that is not set. */
function findUnsetPlural(name: string, known: string[], names: readonly string[]): string | undefined {
  const plural = `${name.toUpperCase()}S`;
  return known.includes(plural) && !names.includes(plural) ? plural : undefined;
}

/** For example MAX_UNDELIVERED_BYTES for MAX_UNDELIVERED_BYTES_PER_DIRECTORY, and WEBHOOK_TIMEOUT for WEBHOOK_TIMEOUT_MS. */
const findWithoutSuffix = (name: string, known: string[]) =>
  known.find((one) => one.replace(/_(?:PER_[A-Z]+|MS|BYTES)$/, '') === name.toUpperCase());
