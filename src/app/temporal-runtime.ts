import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { Agent } from 'undici';
import { createActivities, type ActivityDeps } from '../../activities/index.ts';
import { composeApi } from './api.ts';
import { startWhole, type Closers } from '../shared/with-cleanup.ts';
import { openStorage, type Storage, type StorageOptions } from './storage.ts';
import { composeSyncParts } from './syncs.ts';
import type { HostedProvider } from '../directory/sync/provider.ts';
import { createFindMissing } from './readiness.ts';
import { createMetrics } from '../metrics.ts';
import { createHourlyChanges } from '../directory/hourly-changes.ts';
import { createLaneStarts } from '../directory/delivery/lane-starts.ts';
import { countStepStarts } from '../directory/sync/step-starts.ts';
import { countStarts } from '../directory/mutation-starts.ts';
import { workflowBundlePath } from '../paths.ts';
import type { RunningWork } from './running-work.ts';
import { createChangeStore } from '../store/changes/change-store.ts';
import { createDeletionStore } from '../store/directories/deletion-store.ts';
import { readBacklog } from '../store/deliveries/read-backlog.ts';
import { createDeliveryStore } from '../store/deliveries/delivery-store.ts';
import { createRetentionStore } from '../store/deliveries/retention-store.ts';
import { createFairBytes } from '../store/fair-bytes.ts';
import { inTurns } from '../store/sql/limit-concurrency.ts';
import { createMutationStartStore } from '../store/changes/mutation-start-store.ts';
import { createOperatorEventStore } from '../store/operator-events.ts';
import { tellingOutages } from '../store/outage.ts';
import { createSequenceWatch } from '../store/sequence-watch.ts';
import { createStagedMutationStore } from '../store/staged-mutations.ts';
import { createTrimStore } from '../store/directories/trim-store.ts';
import { listHosted } from '../store/syncs/list-hosted.ts';
import { createCodec, createWorkerCodec } from '../temporal/codec.ts';
import { connectTemporal } from '../temporal/connect.ts';
import { createHandover } from '../temporal/handover.ts';
import { deliveryQueue, mutationQueue, syncQueue } from '../temporal/names.ts';
import { createOrchestration } from '../temporal/orchestration.ts';
import { keepHistories } from '../temporal/history-retention.ts';
import { keepSchedules } from '../temporal/schedules.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { createSyncSchedules } from '../temporal/sync-schedules.ts';
import { startWorker, type RollcallWorkerOptions } from '../temporal/worker.ts';
import { createGuardedAgent, parseNetworks, type OwnPorts } from '../webhooks/guard.ts';
import { createSender } from '../webhooks/send.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

export interface TemporalOptions extends StorageOptions {
  temporalAddress: string;
  /** How long the namespace keeps what has ended, where it is ours alone. */
  keepHistoriesMs?: number | undefined;
  /** Deliver webhooks, and sweep. */
  deliver: boolean;
  allowedNetworks: string[];
  /** Where Rollcall's own servers listen on this machine: no webhook goes there. */
  ownPorts?: OwnPorts;
  workflowBundlePath?: string;
  /** A test's way to stand between two steps. */
  replaceActivityDeps?: (deps: ActivityDeps) => ActivityDeps;
  /** Instead of Google: a test's own. */
  provider?: HostedProvider;
}

/** Whoever delivers leaves some connections to whoever changes and reads. */
const deliveryShare = (poolSize: number) => Math.max(1, Math.floor(poolSize * 0.7));

/** Directories that one process reads at the same time. */
const syncsAtOnce = 5;

const connectTimeoutMs = 5_000;

/** The workers, and what an API needs to have work done by them. */
export const startOnTemporal = (options: TemporalOptions): Promise<RunningWork> => startWhole((closers) => compose(options, closers));

async function compose(options: TemporalOptions, closers: Closers): Promise<RunningWork> {
  const { config, log } = options;
  const { namespace } = config.temporal;
  const [connection, storage] = await openBoth(options, closers);
  await registerSearchAttributes(connection, namespace);
  if (options.keepHistoriesMs !== undefined) await keepHistories(connection, namespace, options.keepHistoriesMs);
  const { db, secretColumns, tellOperator } = storage;
  const { batchSize, operator, timeoutMs: webhookTimeoutMs } = config.webhooks;
  const inBatches = batchSize !== undefined;

  const client = new Client({ connection, namespace, dataConverter: { payloadCodecs: [createCodec(storage.keyring)] } });
  const staged = tellingOutages(
    createStagedMutationStore(db, storage.keyring, { maxBytesPerDirectory: 4 * config.intake.maxWaitingBytesPerDirectory }),
  );
  const handover = createHandover();
  const metrics = createMetrics({ readBacklog: tellingOutages({ readBacklog: readBacklog(db) }, { timeoutMs: 2_000 }).readBacklog });
  const schedules = createSyncSchedules({ client, everySeconds: config.google.everySeconds, listHosted: listHosted(db) });
  const webhookAgent = createGuardedAgent(parseNetworks(options.allowedNetworks), connectTimeoutMs, {
    ...(options.ownPorts && { ownPorts: options.ownPorts }),
  });
  // The operator's own address, which may well be a private one.
  const operatorAgent = new Agent({ connectTimeout: connectTimeoutMs });
  closers.add(() => Promise.all([webhookAgent.close(), operatorAgent.close()]));
  const changes = tellingOutages(createChangeStore(db, { ...storage.changeLimits, wakes: !inBatches }));
  const orchestration = createOrchestration({
    client,
    handover,
    staged,
    changes,
    schedules,
    directories: storage.directoryStore,
    onApplied: metrics.mutationWorkflow,
  });
  const syncParts = await composeSyncParts({ ...options, storage });
  const stopping = new AbortController();
  const starts = countStarts(tellingOutages(createMutationStartStore(db, tellOperator)));
  const deliveries = inTurns(
    tellingOutages(createDeliveryStore({ db, secretColumns, tellOperator, inBatches })),
    deliveryShare(config.database.poolSize),
  );
  const laneStarts = createLaneStarts(deliveries);
  const syncs = countStepStarts(syncParts.syncs);
  const deps: ActivityDeps = {
    ...orchestration,
    ...syncParts,
    syncs,
    changes,
    mutationLimits: config.mutations,
    staged,
    starts,
    stopping: stopping.signal,
    deliveries,
    laneStarts,
    memory: createFairBytes({ maxBytes: config.webhooks.maxBytes }),
    watch: createSequenceWatch(db, stopping.signal),
    batchSize,
    lingerMs: 2_000,
    operatorEvents: tellingOutages(createOperatorEventStore(db)),
    operator,
    sendToOperator: createSender({ dispatcher: operatorAgent }),
    trim: tellingOutages(createTrimStore(db, config.quotas)),
    retention: tellingOutages(createRetentionStore(db)),
    keepLogsMs: config.webhooks.keepLogsMs,
    metrics,
    send: createSender({ dispatcher: webhookAgent }),
    webhookTimeoutMs,
    retryDelaysMs: config.webhooks.retryDelaysMs,
    handover,
    deletions: tellingOutages(createDeletionStore(db)),
    removeSchedule: schedules.remove,
    tellOperatorSoon() {
      if (!operator) return;
      orchestration
        .wakeOperator()
        .catch((error: Error) => log.warn({ error: toLoggableMessage(error) }, 'could not wake what tells the operator'));
    },
    log,
  };
  const worker = {
    connection,
    namespace,
    activities: createActivities(options.replaceActivityDeps?.(deps) ?? deps),
    dataConverter: { payloadCodecs: [createWorkerCodec(storage.keyring)] },
    log,
    workflowBundlePath: options.workflowBundlePath ?? workflowBundlePath,
  };
  const start = async (queue: Pick<RollcallWorkerOptions, 'taskQueue' | 'maxActivities' | 'maxCachedWorkflows'>) => {
    const running = await startWorker({ ...worker, ...queue });
    closers.add(running.stop);
    return running;
  };
  const workers = await Promise.all([
    start({ taskQueue: mutationQueue, maxActivities: 10, maxCachedWorkflows: 100 }),
    ...(options.deliver
      ? [
          start({ taskQueue: deliveryQueue, maxActivities: 1_000, maxCachedWorkflows: 1_000 }),
          start({ taskQueue: syncQueue, maxActivities: syncsAtOnce, maxCachedWorkflows: 100 }),
        ]
      : []),
  ]);
  const keptSchedules = options.deliver
    ? keepSchedules(client, { batchEverySeconds: inBatches ? config.webhooks.batchEverySeconds : undefined, syncs: schedules }, log)
    : undefined;
  const findMissing = createFindMissing({ db, disk: storage.disk, temporal: { connection, workers } });

  return {
    storage,
    metrics,
    findMissing,
    composeApi: ({ watchApply, ...parts }) =>
      composeApi({
        ...parts,
        config,
        storage,
        orchestration: { ...orchestration, apply: watchApply?.(orchestration.apply) ?? orchestration.apply },
        hourlyChanges: createHourlyChanges(config.changesPerHour),
        provider: syncParts.provider,
        webhookAgent,
        allowedNetworks: options.allowedNetworks,
        metrics,
        findMissing,
        log,
      }),
    async stop() {
      stopping.abort();
      await Promise.all([...workers.map((running) => running.stop()), storage.recorder.stop(), keptSchedules?.stop()]);
      await Promise.all([starts, laneStarts, syncs].map((counted) => counted.forgiveOpen()));
      await closers.closeAll();
    },
  };
}

function openBoth(options: TemporalOptions, closers: Closers): Promise<[NativeConnection, Storage]> {
  const connect = async () => {
    const connection = await connectTemporal({ ...options.config.temporal, address: options.temporalAddress });
    closers.add(() => connection.close());
    return connection;
  };
  const open = async () => {
    const storage = await openStorage(options);
    closers.add(() => storage.close());
    return storage;
  };
  return Promise.all([connect(), open()]);
}
