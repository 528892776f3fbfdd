import { composeApi } from './api.ts';
import { openStorage, type StorageOptions } from './storage.ts';
import { composeSyncParts } from './syncs.ts';
import { startWhole, type Closers } from '../shared/with-cleanup.ts';
import type { RunningWork, ServedParts } from './running-work.ts';
import { createApplyDirectly } from '../direct/apply-directly.ts';
import { keepHouse } from '../direct/keep-house.ts';
import { createDirectOrchestration } from '../direct/orchestration.ts';
import { rememberAccess } from '../direct/remember-access.ts';
import { createDeletions } from '../direct/run-deletions.ts';
import { createRunningSyncs } from '../direct/run-syncs.ts';
import type { HostedProvider } from '../directory/sync/provider.ts';
import { createFindMissing } from './readiness.ts';
import { createMetrics } from '../metrics.ts';
import { createAlone } from '../store/sql/advisory-lock.ts';
import { createChangeStore } from '../store/changes/change-store.ts';
import { createDeletionStore } from '../store/directories/deletion-store.ts';
import { readBacklog } from '../store/deliveries/read-backlog.ts';
import { createPassOverOld, createRetentionStore } from '../store/deliveries/retention-store.ts';
import { tellingOutages } from '../store/outage.ts';
import { createStagedMutationStore } from '../store/staged-mutations.ts';
import { createTrimStore } from '../store/directories/trim-store.ts';
import { createGuardedAgent, parseNetworks, type OwnPorts } from '../webhooks/guard.ts';

export interface DirectOptions extends StorageOptions {
  allowedNetworks: string[];
  /** Where Rollcall's own servers listen on this machine: no webhook goes there. */
  ownPorts?: OwnPorts;
  /** Of directories without a webhook; unset: they are kept. */
  dropEventsAfterMs?: number | undefined;
  /** Instead of Google: a test's own. */
  provider?: HostedProvider | undefined;
}

const connectTimeoutMs = 5_000;

/** Without Temporal: this process does what can be done without it. */
export const startDirectly = (options: DirectOptions): Promise<RunningWork> => startWhole((closers) => compose(options, closers));

async function compose(options: DirectOptions, closers: Closers): Promise<RunningWork> {
  const { config, log } = options;
  const storage = rememberAccess(await openStorage(options));
  const { db } = storage;
  closers.add(() => storage.close());
  const changes = tellingOutages(
    createChangeStore(db, { ...storage.changeLimits, wakes: config.webhooks.batchSize === undefined, tells: true }),
  );
  const syncParts = await composeSyncParts({ ...options, storage });
  const webhookAgent = createGuardedAgent(parseNetworks(options.allowedNetworks), connectTimeoutMs, {
    ...(options.ownPorts && { ownPorts: options.ownPorts }),
  });
  closers.add(() => webhookAgent.close());
  const deletionStore = tellingOutages(createDeletionStore(db));
  const deletions = createDeletions({ deletions: deletionStore, log });
  let tellSynced: ServedParts['tellSynced'];
  const syncs = createRunningSyncs({
    ...syncParts,
    store: syncParts.syncs,
    changes,
    watch: { hint: () => undefined },
    wakeDelivery: () => Promise.resolve(),
    tell: async (directoryId, applied) => tellSynced?.(directoryId, applied),
    tellOperatorSoon: () => undefined,
    alone: createAlone(options.databaseUrl),
    log,
  });
  const metrics = createMetrics({ readBacklog: readBacklog(db) });
  const apply = createApplyDirectly({
    changes,
    budget: config.mutations,
    onQuotaReached: metrics.quotaReached,
    patienceMs: config.intake.timeoutMs,
    log,
  });
  const orchestration = createDirectOrchestration({ apply, deletions, syncs });
  const startHouse = () =>
    keepHouse({
      changes,
      staged: tellingOutages(createStagedMutationStore(db, storage.keyring)),
      syncRuns: syncParts.syncRuns,
      startSync: syncs.start,
      deletions: deletionStore,
      startDeletion: deletions.start,
      ...tellingOutages({ passOverOld: createPassOverOld(db) }),
      dropEventsAfterMs: options.dropEventsAfterMs,
      trim: tellingOutages(createTrimStore(db, config.quotas)),
      retention: tellingOutages(createRetentionStore(db)),
      keepLogsMs: config.webhooks.keepLogsMs,
      log,
    });
  let house: ReturnType<typeof keepHouse> | undefined;
  const findMissing = createFindMissing({ db, disk: storage.disk });

  return {
    storage,
    metrics,
    findMissing,
    composeApi({ watchApply, tellSynced: tell, ...parts }) {
      tellSynced = tell;
      // What it takes up tells of changes, too.
      house ??= startHouse();
      return composeApi({
        ...parts,
        config,
        storage,
        orchestration: { ...orchestration, apply: watchApply?.(apply) ?? apply },
        provider: syncParts.provider,
        webhookAgent,
        allowedNetworks: options.allowedNetworks,
        metrics,
        findMissing,
        log,
      });
    },
    async stop() {
      await Promise.all([house?.stop(), deletions.stop(), syncs.stop(), storage.recorder.stop()]);
      await closers.closeAll();
    },
  };
}
