import { createFileStore } from '../store/files/file-store.ts';
import { isScheduledType } from '../directory/directories/directory.ts';
import { setMaxListeners } from 'node:events';
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { createActivities, type ActivityDeps } from '../../activities/index.ts';
import { createDeliveryParts, maxDrains } from './delivery-parts.ts';
import { createReadiness } from './readiness.ts';
import { createRuntime, createWebhookAgent, type RollcallRuntime, type RuntimeOptions } from './runtime.ts';
import { openStorage, type Storage } from './storage.ts';
import { createSyncDeps } from './syncs.ts';
import { withCleanup, type Cleanup } from './with-cleanup.ts';
import type { RecomputeKey } from '../directory/attributes/ports.ts';
import { createHourlyChanges } from '../directory/intake/hourly-changes.ts';
import type { Logger } from '../logger.ts';
import { createMetrics } from '../metrics.ts';
import { workflowBundlePath } from '../paths.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import { createChangeStore } from '../store/changes/change-store.ts';
import { createRecomputeStore } from '../store/attributes/recompute-store.ts';
import { createErasureStore } from '../store/erasures/erasure-store.ts';
import { createDeletionStore } from '../store/directories/deletion-store.ts';
import { createDirectoryBatchStore } from '../store/directories/directory-batch-store.ts';
import { createRetentionStore } from '../store/deliveries/retention-store.ts';
import { createMutationStartStore } from '../store/changes/mutation-start-store.ts';
import { translateOutages } from '../store/sql/outages.ts';
import { createStagedMutationStore } from '../store/changes/staged-mutation-store.ts';
import { createTrimStore } from '../store/directories/trim-store.ts';
import { createWorkflowClient, type WorkflowClient } from '../temporal/client.ts';
import { createCodec, createWorkerCodec } from '../temporal/codec.ts';
import { createCommitMutations } from '../temporal/commit-mutations.ts';
import { connectTemporal, disconnectTemporal, untilReachable } from '../temporal/connect.ts';
import { deliveryQueue, mutationQueue, syncQueue } from '../temporal/names.ts';
import { createHeadStarts } from '../temporal/head-starts.ts';
import { createOutcomeWaiters } from '../temporal/outcome-waiters.ts';
import { reconcileSchedules } from '../temporal/schedules.ts';
import { registerSearchAttributes, setHistoryRetention } from '../temporal/prepare-namespace.ts';
import { createSyncSchedules, type SyncSchedules } from '../temporal/sync-schedules.ts';
import { startWorker, type RollcallWorkerOptions } from '../temporal/worker.ts';
import { createHealthSource } from '../store/directories/health-measures.ts';
import { readBacklog } from '../store/deliveries/delivery-state.ts';
import { countStepStarts } from '../directory/sync/run-sync-step.ts';
import type { WebhookOrchestration } from './api.ts';
import { listScheduledDirectories } from '../store/syncs/sync-run-store.ts';
import { createMutationStarts } from '../directory/intake/mutation-starts.ts';

export interface TemporalOptions extends RuntimeOptions {
  temporalAddress: string;
  /** Where the UI of this Temporal listens, without authentication. */
  temporalUiAddress?: string | undefined;
  /** How long the namespace keeps ended workflows. Set only for a namespace that belongs to Rollcall alone. */
  keepHistoriesMs?: number | undefined;
  /** Delivers webhooks, and runs syncs and sweeps. */
  deliver: boolean;
  workflowBundlePath?: string;
  /** Lets a test replace what activities use. */
  replaceActivityDeps?: (deps: ActivityDeps) => ActivityDeps;
}

const maxConcurrentSyncSteps = 5;

/** Starts the workers, and what an API needs to give them work. */
export const startTemporalRuntime = (options: TemporalOptions): Promise<RollcallRuntime> =>
  withCleanup(async (cleanup) => {
    const { config, log } = options;
    const { namespace } = config.temporal;
    const [connection, storage] = await openBoth(options, cleanup);
    await registerSearchAttributes(connection, namespace);
    if (options.keepHistoriesMs !== undefined) await setHistoryRetention(connection, namespace, options.keepHistoriesMs);
    const { db, directoryStore } = storage;
    const inBatches = config.webhooks.batchSize !== undefined;

    const client = new Client({ connection, namespace, dataConverter: { payloadCodecs: [createCodec(storage.keyring)] } });
    const workflows = createWorkflowClient(client);
    const staged = translateOutages(
      createStagedMutationStore(db, storage.keyring, { maxBytesPerDirectory: 4 * config.intake.maxWaitingBytesPerDirectory }),
    );
    const waiters = createOutcomeWaiters();
    const headStarts = createHeadStarts();
    const metrics = createMetrics({
      ...translateOutages({ readBacklog: readBacklog(db) }, { timeoutMs: 2_000 }),
      health: translateOutages(createHealthSource(db, config), { timeoutMs: 2_000 }),
      replica: storage.replica,
    });
    const schedules = createSyncSchedules({
      client,
      everySeconds: { google: config.google.everySeconds, entra: config.entra.everySeconds },
      listPulled: listScheduledDirectories(db),
    });
    const webhookAgent = createWebhookAgent(options, cleanup);
    // The sweep starts what fails to start.
    const onRecompute = (key: RecomputeKey) => void workflows.startRecompute(key).catch(() => undefined);
    const changes = translateOutages(createChangeStore(db, { ...storage.changeLimits, wakes: !inBatches, onRecompute }));
    const commitMutations = createCommitMutations({
      workflows,
      waiters,
      headStarts,
      staged,
      outcomeOf: changes.outcomeOf,
      onApplied: metrics.mutationWorkflow,
    });
    const hasOperator = config.webhooks.operator !== undefined;
    const webhooks = createWebhookOrchestration({ workflows, schedules, directoryStore, log, hasOperator });
    const syncDeps = await createSyncDeps({ ...options, storage });
    const stopping = new AbortController();
    // One for each local activity.
    setMaxListeners(0, stopping.signal);
    const starts = createMutationStarts(translateOutages(createMutationStartStore(db, storage.emitOperatorEvent)));
    const deliveryParts = createDeliveryParts({ ...options, storage, webhookAgent, stopping: stopping.signal }, workflows, cleanup);
    const { deliveryLaneStarts, lease } = deliveryParts;
    const syncs = countStepStarts(syncDeps.syncs);
    const deps: ActivityDeps = {
      ...workflows,
      ...webhooks,
      ...syncDeps,
      onDrift: metrics.drifted,
      ...deliveryParts,
      syncs,
      changes,
      mutationLimits: config.mutations,
      staged,
      starts,
      stopping: stopping.signal,
      trim: translateOutages(createTrimStore(db, config.quotas)),
      scimClients: translateOutages(storage.scimClientStore),
      files: translateOutages(createFileStore(storage.db)),
      sessions: translateOutages(storage.sessionStore),
      setupLinks: storage.setupLinkStore,
      retention: translateOutages(createRetentionStore(db)),
      keepLogsMs: config.webhooks.keepLogsMs,
      audit: storage.audit,
      keepAuditMs: config.audit.keepMs,
      recordedRequests: translateOutages(storage.recordedRequests),
      keepRequestsMs: config.keepRequestsMs,
      erasures: translateOutages(createErasureStore(db)),
      recomputes: translateOutages(createRecomputeStore(db)),
      metrics,
      waiters,
      headStarts,
      deletions: translateOutages(createDeletionStore(db)),
      batches: translateOutages(createDirectoryBatchStore(db, { ...storage, quotas: config.quotas })),
      removeSchedule: schedules.remove,
      wakeOperator: workflows.wakeOperatorDelivery,
      untilReachable: (signal) => untilReachable(client, signal),
      log,
    };
    // Before Temporal sends deliveries, so that others notice if this process dies with them.
    if (options.deliver) await lease.holdAtStart();
    const workers = await startWorkers(
      {
        connection,
        namespace,
        activities: createActivities(options.replaceActivityDeps?.(deps) ?? deps),
        dataConverter: { payloadCodecs: [createWorkerCodec(storage.keyring)] },
        log,
        workflowBundlePath: options.workflowBundlePath ?? workflowBundlePath(),
      },
      options,
      cleanup,
    );
    if (options.deliver) lease.start();
    const keptSchedules = options.deliver
      ? reconcileSchedules(client, { batchEverySeconds: inBatches ? config.webhooks.batchEverySeconds : undefined, syncs: schedules }, log)
      : undefined;

    return createRuntime(options, {
      storage,
      metrics,
      webhookAgent,
      webhooks,
      deliverySignals: { pause: workflows.pauseDelivery, resume: workflows.resumeDelivery, retryNow: workflows.retryDelivery },
      providers: syncDeps.providers,
      hourlyChanges: createHourlyChanges(config.changesPerHour),
      checkReadiness: createReadiness({ db, disk: storage.disk, replica: storage.replica, temporal: { connection, workers } }),
      orchestration: { ...workflows, commitMutations },
      async stop() {
        stopping.abort();
        await Promise.all([...workers.map((worker) => worker.stop()), storage.recorder.stop(), keptSchedules?.stop()]);
        await Promise.all([...[starts, deliveryLaneStarts, syncs].map((counted) => counted.forgiveOpen()), lease.stop()]);
        await cleanup.run();
      },
    });
  });

function openBoth(options: TemporalOptions, cleanup: Cleanup): Promise<[NativeConnection, Storage]> {
  const connect = async () => {
    const connection = await connectTemporal({ ...options.config.temporal, address: options.temporalAddress });
    cleanup.add(() => disconnectTemporal(connection));
    return connection;
  };
  const open = async () => {
    const storage = await openStorage(options);
    cleanup.add(() => storage.close());
    return storage;
  };
  return Promise.all([connect(), open()]);
}

interface WebhookOrchestrationDeps {
  workflows: WorkflowClient;
  schedules: SyncSchedules;
  directoryStore: Storage['directoryStore'];
  log: Logger;
  hasOperator: boolean;
}

const createWebhookOrchestration = ({
  workflows,
  schedules,
  directoryStore,
  log,
  hasOperator,
}: WebhookOrchestrationDeps): WebhookOrchestration => ({
  wakeDelivery: workflows.wakeDelivery,
  wakeOperatorSoon() {
    if (!hasOperator) return;
    workflows
      .wakeOperatorDelivery()
      .catch((error: Error) => log.warn({ error: toLoggableMessage(error) }, 'could not wake operator delivery'));
  },
  processEvents: workflows.processEvents,
  async reconcileSchedule(directoryId) {
    const directory = await directoryStore.get(directoryId);
    if (directory && isScheduledType(directory.type)) await schedules.keep(directory);
    else await schedules.remove(directoryId);
  },
});

type Queue = Pick<RollcallWorkerOptions, 'taskQueue' | 'maxActivities' | 'maxCachedWorkflows'>;

function startWorkers(common: Omit<RollcallWorkerOptions, keyof Queue>, { deliver }: Pick<TemporalOptions, 'deliver'>, cleanup: Cleanup) {
  const start = async (queue: Queue) => {
    const worker = await startWorker({ ...common, ...queue });
    cleanup.add(worker.stop);
    return worker;
  };
  return Promise.all([
    start({ taskQueue: mutationQueue, maxActivities: 10, maxCachedWorkflows: 100 }),
    ...(deliver
      ? [
          start({ taskQueue: deliveryQueue, maxActivities: maxDrains, maxCachedWorkflows: 1_000 }),
          start({ taskQueue: syncQueue, maxActivities: maxConcurrentSyncSteps, maxCachedWorkflows: 100 }),
        ]
      : []),
  ]);
}
