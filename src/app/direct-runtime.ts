import { createFileStore } from '../store/files/file-store.ts';
import type { Applied } from '../directory/changes/apply-to-directory.ts';
import { createDirectDeliveries } from './direct-deliveries.ts';
import { createReadiness } from './readiness.ts';
import { createRuntime, createWebhookAgent, type RollcallRuntime, type RuntimeOptions, type ServedParts } from './runtime.ts';
import { createSignalsElsewhere } from './signals-elsewhere.ts';
import { openStorage } from './storage.ts';
import { createSyncDeps } from './syncs.ts';
import { withCleanup } from './with-cleanup.ts';
import { createDirectCommitMutations } from '../direct/commit-mutations.ts';
import { createDeletions, createErasures, startPeriodicTasks } from '../direct/periodic-tasks.ts';
import { createBatchWork } from '../direct/batch-work.ts';
import { createRunBatches } from '../directory/batches/run-batches.ts';
import { createDirectoryBatchStore } from '../store/directories/directory-batch-store.ts';
import { createRecomputes } from '../direct/run-recomputes.ts';
import { scheduleBatches } from '../direct/schedule-batches.ts';
import { cacheScimAccess } from '../direct/cache-scim-access.ts';
import { createRunningSyncs } from '../direct/run-syncs.ts';
import { createMetrics } from '../metrics.ts';
import { createAdvisoryLock } from '../store/sql/advisory-lock.ts';
import { createChangeStore } from '../store/changes/change-store.ts';
import { createKnownStates } from '../store/changes/known-states.ts';
import { createRunRecompute } from '../directory/attributes/run-recompute.ts';
import { createRecomputeStore } from '../store/attributes/recompute-store.ts';
import { createEraseUser } from '../directory/erasure/erase-user.ts';
import { createErasureStore } from '../store/erasures/erasure-store.ts';
import { createDeletionStore } from '../store/directories/deletion-store.ts';
import { createSkipOldEvents, createRetentionStore } from '../store/deliveries/retention-store.ts';
import { createLimitLeases } from '../store/limits/counters.ts';
import { translateOutages } from '../store/sql/outages.ts';
import { createStagedMutationStore } from '../store/changes/staged-mutation-store.ts';
import { createTrimStore } from '../store/directories/trim-store.ts';
import { createHealthSource } from '../store/directories/health-measures.ts';
import { readBacklog } from '../store/deliveries/delivery-state.ts';

export interface DirectOptions extends RuntimeOptions {
  /** How long events of directories without a webhook are kept. If it is unset, they are kept forever. */
  dropEventsAfterMs?: number | undefined;
  /** Whether this process delivers webhooks. Otherwise they wait for one that does. */
  deliver: boolean;
}

/** Without Temporal: this process does all the work. */
export const startDirectRuntime = (options: DirectOptions): Promise<RollcallRuntime> =>
  withCleanup(async (cleanup) => {
    const { config, log } = options;
    const { batchSize, batchEverySeconds } = config.webhooks;
    const known = createKnownStates();
    const storage = cacheScimAccess(await openStorage(options), { onChange: known.pause });
    const { db } = storage;
    cleanup.add(() => storage.close());
    const webhookAgent = createWebhookAgent(options, cleanup);
    const health = translateOutages(createHealthSource(db, config), { timeoutMs: 2_000 });
    const metrics = createMetrics({ readBacklog: readBacklog(db), health, replica: storage.replica });
    const changes = translateOutages(
      createChangeStore(db, {
        ...storage.changeLimits,
        wakes: batchSize === undefined,
        returnsEvents: true,
        known,
        onRecompute: (key) => void recomputes.start(key),
      }),
    );
    const syncDeps = await createSyncDeps({ ...options, storage });
    const deliveries = options.deliver ? createDirectDeliveries({ ...options, storage, webhookAgent, metrics }, cleanup) : undefined;
    const deletionStore = translateOutages(createDeletionStore(db));
    const deletions = createDeletions({ deletions: deletionStore, log });
    let onSynced: ServedParts['onSynced'];
    const applying = {
      changes,
      onQuotaReached: metrics.quotaReached,
      async onApplied(directoryId: string, applied: Applied) {
        deliveries?.onApplied(directoryId, applied);
        await onSynced?.(directoryId, applied);
      },
      log,
    };
    const erasureStore = translateOutages(createErasureStore(db));
    const erasures = createErasures({ eraseUser: createEraseUser({ erasures: erasureStore, ...applying }), log });
    const batchStore = translateOutages(createDirectoryBatchStore(db, { ...storage, quotas: config.quotas }));
    const batchWork = createBatchWork({
      runBatches: createRunBatches({
        batches: batchStore,
        startDeletion: deletions.start,
        wakeDelivery: deliveries?.orchestration.wakeDelivery ?? (() => Promise.resolve()),
        ...applying,
      }),
      log,
    });
    const recomputeStore = translateOutages(createRecomputeStore(db));
    const recomputes = createRecomputes({ runRecompute: createRunRecompute({ recomputes: recomputeStore, ...applying }), log });
    const syncs = createRunningSyncs({
      ...syncDeps,
      onDrift: metrics.drifted,
      store: syncDeps.syncs,
      ...applying,
      withLock: createAdvisoryLock(options.databaseUrl),
    });
    const runPeriodicTasks = () =>
      startPeriodicTasks({
        changes,
        webhooks: deliveries?.recovery,
        staged: translateOutages(createStagedMutationStore(db, storage.keyring)),
        syncRuns: syncDeps.syncRuns,
        startSync: syncs.start,
        deletions: deletionStore,
        startDeletion: deletions.start,
        batches: batchStore,
        startBatches: batchWork.start,
        erasures: erasureStore,
        startErasure: erasures.start,
        recomputes: recomputeStore,
        startRecompute: recomputes.start,
        ...translateOutages({ skipOldEvents: createSkipOldEvents(db) }),
        dropEventsAfterMs: options.dropEventsAfterMs,
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
        log,
      });
    const startBatches = () => {
      if (!deliveries || batchSize === undefined || batchEverySeconds === undefined) return undefined;
      const leases = translateOutages(createLimitLeases(db));
      return scheduleBatches({ everyMs: batchEverySeconds * 1000, deliver: () => deliveries.orchestration.processEvents([]), leases, log });
    };
    let periodicTasks: ReturnType<typeof startPeriodicTasks> | undefined;
    let batches: ReturnType<typeof startBatches>;

    return createRuntime(options, {
      storage,
      metrics,
      webhookAgent,
      webhooks: deliveries?.orchestration,
      deliverySignals: deliveries?.signals ?? createSignalsElsewhere(db),
      providers: syncDeps.providers,
      checkReadiness: createReadiness({ db, disk: storage.disk, replica: storage.replica }),
      orchestration: {
        commitMutations: createDirectCommitMutations({
          changes,
          budget: config.mutations,
          onQuotaReached: metrics.quotaReached,
          timeoutMs: config.intake.timeoutMs,
          onApplied: deliveries?.onApplied,
          log,
        }),
        startDeletion: deletions.start,
        startBatches: batchWork.start,
        startErasure: erasures.start,
        startRecompute: recomputes.start,
        startSync: syncs.start,
        startSyncs: async (directoryIds) => void (await Promise.all(directoryIds.map(syncs.start))),
        cancelSync: syncs.cancel,
      },
      beforeServing(served) {
        onSynced = served.onSynced;
        // It resumes syncs, whose events go to the callbacks too.
        periodicTasks ??= runPeriodicTasks();
        batches ??= startBatches();
      },
      async stop() {
        await Promise.all([
          periodicTasks?.stop(),
          batches?.stop(),
          deletions.stop(),
          batchWork.stop(),
          erasures.stop(),
          recomputes.stop(),
          syncs.stop(),
          storage.recorder.stop(),
        ]);
        await deliveries?.stop();
        await cleanup.run();
      },
    });
  });
