import { Client } from '@temporalio/client';
import { Agent } from 'undici';
import { createActivities, type ActivityDeps } from '../activities/index.ts';
import { composeLimits, readLimits } from './compose-limits.ts';
import { composeSyncs } from './compose-syncs.ts';
import type { Config } from './config.ts';
import { createDeliveryLog } from './directory/delivery/delivery-log.ts';
import { createDeliveryControl } from './directory/delivery/operate-delivery.ts';
import { createReplays } from './directory/delivery/replays.ts';
import { createDirectories } from './directory/directories.ts';
import { createScimSecrets } from './directory/scim-secrets.ts';
import { createDirectoryReader } from './directory/directory-reader.ts';
import type { HostedProvider } from './directory/sync/provider.ts';
import { createEventFeed } from './directory/event-feed/event-feed.ts';
import { createFeedCursors } from './directory/event-feed/feed-cursor.ts';
import { createFeedWatch } from './directory/event-feed/feed-watch.ts';
import { createRequestRecorder } from './directory/recorded-requests/request-recorder.ts';
import { createFindMissing } from './find-missing.ts';
import { listen } from './http/listen.ts';
import { createScimLists } from './http/scim-lists.ts';
import { createScimReader } from './http/scim-reader.ts';
import { createApi, createHealthServer, createMetricsServer } from './http/server.ts';
import { createMetrics } from './metrics.ts';
import { readBacklog } from './store/deliveries/backlog.ts';
import { createKeyring } from './keyring.ts';
import { createCursorSeal } from './cursor-seal.ts';
import { createCursors } from './scim/cursor.ts';
import type { Logger } from './logger.ts';
import { workflowBundlePath } from './paths.ts';
import { createChangeStore } from './store/changes/change-store.ts';
import { inTurns } from './store/in-turns.ts';
import { openDatabase } from './store/database.ts';
import { createDeliveryLogStore } from './store/deliveries/delivery-log.ts';
import { createDeliveryControlStore } from './store/deliveries/operate.ts';
import { createReplayStore } from './store/deliveries/replays.ts';
import { createRetentionStore } from './store/deliveries/retention.ts';
import { createDeliveryStore } from './store/deliveries/delivery-store.ts';
import { createDeletionStore } from './store/deletions.ts';
import { createScimSecretStore } from './store/scim-secrets.ts';
import { createDirectoryStore } from './store/directories.ts';
import { checkEncryption } from './store/encryption-check.ts';
import { createEventFeedStore } from './store/event-feed/event-feed-store.ts';
import { settleTransactions } from './store/event-feed/settle-transactions.ts';
import { migrate } from './store/migrate.ts';
import { tellingOutages } from './store/outage.ts';
import { createOperatorEventStore, createTellOperator } from './store/operator-events.ts';
import { createSecretColumns } from './store/secret-columns.ts';
import { createSequenceWatch } from './store/sequence-watch.ts';
import { createGroupStore } from './store/groups.ts';
import { createRecordedRequestStore } from './store/recorded-requests.ts';
import { createStagedMutationStore } from './store/staged-mutations.ts';
import { createUserStore } from './store/users.ts';
import { createApplyGroup } from './temporal/apply-group.ts';
import { createCodec } from './temporal/codec.ts';
import { connectTemporal } from './temporal/connect.ts';
import { createStartDeletion } from './temporal/delete-directory.ts';
import { createHandover } from './temporal/handover.ts';
import { createIntake } from './temporal/intake.ts';
import { deliveryQueue, mutationQueue, syncQueue } from './temporal/names.ts';
import { registerSearchAttributes } from './temporal/search-attributes.ts';
import { keepSchedules } from './temporal/schedules.ts';
import { createProcessEvents } from './temporal/process-events.ts';
import { createSteerDelivery } from './temporal/steer-delivery.ts';
import { createWakeOperator } from './temporal/wake-operator.ts';
import { createWakeDelivery } from './temporal/wake-delivery.ts';
import { startWorker } from './temporal/worker.ts';
import { createGuardedAgent, parseNetworks, refuseUrl } from './webhooks/guard.ts';
import { createSender } from './webhooks/send.ts';

/** What a process needs to know of the world outside it: given by the configuration, or by the embedded servers. */
export interface ServiceOptions {
  config: Config;
  databaseUrl: string;
  temporalAddress: string;
  encryptionKeys: Buffer[];
  /** Without keys there is no API: a worker. */
  apiKeys?: string[];
  /** Deliver webhooks, and sweep. */
  deliver: boolean;
  allowedNetworks: string[];
  log: Logger;
  workflowBundlePath?: string;
  /** A test's way to stand between two steps. */
  replaceActivityDeps?: (deps: ActivityDeps) => ActivityDeps;
  /** Instead of Google: a test's own. */
  provider?: HostedProvider;
  /** How often pushed requests are recorded, at most. */
  recordEveryMs?: number;
}

export interface Service {
  /** Under which others reach it. */
  baseUrl: string;
  port: number;
  /** HTTP first, then workers, then what they use. */
  stop(): Promise<void>;
}

/** Whoever delivers leaves some connections to whoever changes and reads. */
const deliveryShare = (poolSize: number) => Math.max(1, Math.floor(poolSize * 0.7));

/** Directories that one process reads at the same time. */
const syncsAtOnce = 5;

/** A drain is over within 15 s: HTTP, then workers, then what they use. */
const httpPatienceMs = 9_000;
const connectTimeoutMs = 5_000;

export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, databaseUrl, log } = options;
  const limits = options.apiKeys && config.limits && readLimits(config.limits);
  const access = { ...config.temporal, address: options.temporalAddress };
  const keyring = createKeyring(options.encryptionKeys);
  const [connection] = await Promise.all([connectTemporal(access), migrate(databaseUrl)]);
  const db = openDatabase(databaseUrl, { poolSize: config.database.poolSize });
  await Promise.all([
    checkEncryption(db, keyring),
    settleTransactions(db),
    registerSearchAttributes(connection, config.temporal.namespace),
  ]);

  const dataConverter = { payloadCodecs: [createCodec(keyring)] };
  const client = new Client({ connection, namespace: config.temporal.namespace, dataConverter });
  const secretColumns = createSecretColumns(keyring);
  const forCallers = { patienceMs: config.intake.timeoutMs };
  const { batchSize, operator } = config.webhooks;
  const inBatches = batchSize !== undefined;
  const tellOperator = createTellOperator({ isHeard: operator !== undefined });
  const directoryStore = tellingOutages(createDirectoryStore(db, secretColumns, tellOperator), forCallers);
  const users = tellingOutages(createUserStore(db), forCallers);
  const groups = tellingOutages(createGroupStore(db), forCallers);
  const recordedRequests = createRecordedRequestStore(db);
  // Nobody waits for it: one that hangs is to keep the next from being tried.
  const recorder = createRequestRecorder({
    store: tellingOutages(recordedRequests),
    log,
    ...(options.recordEveryMs !== undefined && { everyMs: options.recordEveryMs }),
  });
  const staged = tellingOutages(createStagedMutationStore(db, keyring));
  const eventFeedStore = tellingOutages(createEventFeedStore(db), forCallers);
  const feedWatch = createFeedWatch({ store: eventFeedStore });
  const cursorSeal = createCursorSeal(keyring);
  const networks = parseNetworks(options.allowedNetworks);
  const webhookAgent = createGuardedAgent(networks, connectTimeoutMs);
  // The operator's own address, which may well be a private one.
  const operatorAgent = new Agent({ connectTimeout: connectTimeoutMs });
  const metrics = createMetrics({ readBacklog: tellingOutages({ readBacklog: readBacklog(db) }, { patienceMs: 2_000 }).readBacklog });
  const handover = createHandover();
  let baseUrl = config.externalUrl ?? '';
  const tellOperatorSoon = () => {
    if (operator) deps.wakeOperator().catch((error: Error) => log.warn({ error: error.message }, 'could not wake what tells the operator'));
  };
  const hosted = await composeSyncs({
    config,
    client,
    db,
    secretColumns,
    seal: cursorSeal,
    tellOperator,
    directoryStore,
    forCallers,
    provider: options.provider,
    baseUrl: () => baseUrl,
    log,
  });
  const deps: ActivityDeps = {
    changes: tellingOutages(createChangeStore(db, { wakes: !inBatches })),
    staged,
    deliveries: inTurns(
      tellingOutages(createDeliveryStore({ db, secretColumns, tellOperator, inBatches })),
      deliveryShare(config.database.poolSize),
    ),
    watch: createSequenceWatch(db),
    batchSize,
    lingerMs: 2_000,
    wakeDelivery: createWakeDelivery({ client, webhookTimeoutMs: config.webhooks.timeoutMs }),
    wakeOperator: createWakeOperator(client),
    operatorEvents: tellingOutages(createOperatorEventStore(db)),
    operator,
    sendToOperator: createSender({ dispatcher: operatorAgent }),
    retention: tellingOutages(createRetentionStore(db)),
    keepLogsMs: config.webhooks.keepLogsMs,
    metrics,
    send: createSender({ dispatcher: webhookAgent }),
    webhookTimeoutMs: config.webhooks.timeoutMs,
    retryDelaysMs: config.webhooks.retryDelaysMs,
    handover,
    deletions: tellingOutages(createDeletionStore(db)),
    startDeletion: createStartDeletion(client),
    removeSchedule: hosted.schedules.remove,
    ...hosted.activityDeps,
    tellOperatorSoon,
    log,
  };
  const activities = createActivities(options.replaceActivityDeps?.(deps) ?? deps);
  const worker = {
    connection,
    namespace: config.temporal.namespace,
    activities,
    dataConverter,
    log,
    workflowBundlePath: options.workflowBundlePath ?? workflowBundlePath,
  };
  const workers = await Promise.all([
    startWorker({ ...worker, taskQueue: mutationQueue, maxActivities: 10, maxCachedWorkflows: 100 }),
    ...(options.deliver
      ? [
          startWorker({ ...worker, taskQueue: deliveryQueue, maxActivities: 1_000, maxCachedWorkflows: 1_000 }),
          startWorker({ ...worker, taskQueue: syncQueue, maxActivities: syncsAtOnce, maxCachedWorkflows: 100 }),
        ]
      : []),
  ]);
  const schedules = options.deliver
    ? keepSchedules(client, { batchEverySeconds: inBatches ? config.webhooks.batchEverySeconds : undefined, syncs: hosted.schedules }, log)
    : undefined;

  const reader = createScimReader({ users, groups, baseUrl: () => baseUrl });
  const limiting = limits && options.apiKeys && composeLimits({ ...limits, apiKeys: options.apiKeys, databaseUrl, metrics, log });
  const findMissing = createFindMissing({ db, connection, workers });
  const deliveryLogStore = tellingOutages(createDeliveryLogStore(db), forCallers);
  const wakeSoon = (directoryId: string) => {
    deps.wakeDelivery(directoryId).catch((error: Error) => log.warn({ directoryId, error: error.message }, 'could not wake a delivery'));
  };
  const deleteSoon = (directoryId: string) => {
    deps.startDeletion(directoryId).catch((error: Error) => log.warn({ directoryId, error: error.message }, 'could not start a deletion'));
  };
  const scimSecretStore = createScimSecretStore(db, secretColumns);
  const handler = options.apiKeys
    ? createApi({
        directories: createDirectories({
          store: directoryStore,
          wakeSoon,
          tellOperatorSoon,
          deleteSoon,
          keepScheduleSoon: hosted.keepScheduleSoon,
          refuseWebhookUrl: (url) => refuseUrl(new URL(url), networks),
        }),
        directoryStore,
        noteSecretUse: (directoryId, secretId) =>
          void scimSecretStore
            .noteUse(directoryId, secretId)
            .catch((error: Error) => log.warn({ directoryId, error: error.message }, 'could not note that a secret was used')),
        scimSecrets: createScimSecrets({ store: tellingOutages(scimSecretStore, forCallers) }),
        deliveries: tellingOutages(createDeliveryStore({ db, secretColumns, tellOperator, inBatches }), forCallers),
        syncs: hosted.syncs,
        authorization: hosted.authorization,
        processEvents: createProcessEvents(client),
        deliveryLog: createDeliveryLog({ directories: directoryStore, log: deliveryLogStore }),
        replays: createReplays({
          directories: directoryStore,
          replays: tellingOutages(createReplayStore(db), forCallers),
          log: deliveryLogStore,
          wakeSoon,
        }),
        deliveryControl: createDeliveryControl({
          control: tellingOutages(createDeliveryControlStore({ db, secretColumns, tellOperator }), forCallers),
          log: deliveryLogStore,
          steer: createSteerDelivery({ client, wakeDelivery: deps.wakeDelivery, webhookTimeoutMs: config.webhooks.timeoutMs }),
          send: deps.send,
          tellOperatorSoon,
          sendTimeoutMs: config.webhooks.timeoutMs,
          inBatches,
        }),
        recordRequest: recorder.record,
        recordedRequests: tellingOutages(recordedRequests, forCallers),
        directoryReader: createDirectoryReader({ directories: directoryStore, users, groups }),
        reader,
        lists: createScimLists({ reader, cursors: createCursors(cursorSeal) }),
        eventFeed: createEventFeed({ store: eventFeedStore, cursors: createFeedCursors(cursorSeal), watch: feedWatch }),
        intake: createIntake({
          apply: createApplyGroup({ client, handover, staged, onApplied: metrics.mutationWorkflow }),
          ...config.intake,
        }),
        apiKeys: options.apiKeys,
        baseUrl: () => baseUrl,
        maxBodyBytes: config.maxBodyBytes,
        findMissing,
        metrics,
        limiting,
        log,
      })
    : createHealthServer({ findMissing, log });
  const http = await listen(handler.callback(), config);
  const metricsHttp = config.metrics && (await listen(createMetricsServer({ metrics, log }).callback(), config.metrics));
  baseUrl ||= `http://${nameOf(config.host)}:${http.port}`;

  return {
    baseUrl,
    port: http.port,
    async stop() {
      feedWatch.stop();
      await Promise.all([http.close(httpPatienceMs), metricsHttp?.close(1_000)]);
      await Promise.all([...workers.map((running) => running.stop()), recorder.stop(), schedules?.stop()]);
      await Promise.all([db.destroy(), limiting?.stop(), webhookAgent.close(), operatorAgent.close(), connection.close()]);
    },
  };
}

/** Every interface has no address to hand out; whoever listens on all sets EXTERNAL_URL. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
