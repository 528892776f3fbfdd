import type { DeliveryStore } from '../src/directory/delivery/ports.ts';
import { createApplySubmittedMutations, type ApplySubmittedMutationsDeps } from './apply-submitted-mutations.ts';
import {
  type DeliverEventsDeps,
  type OperatorActivityDeps,
  createDeliverEvents,
  createDeliverOperatorEvents,
  createWakeDeliveries,
  createWakeDeliveriesWithBacklog,
} from './deliver-events.ts';
import {
  type DeleteDirectoryDataDeps,
  type DeleteExpiredLogsDeps,
  type RunSweepDeps,
  createDeleteDirectoryData,
  createDeleteExpiredLogs,
  createRunSweep,
} from './sweep-and-delete.ts';
import {
  type StartSyncsDeps,
  type SyncActivityDeps,
  createBeginSync,
  createClearSyncs,
  createEndSync,
  createExecuteSyncStep,
  createRequestScheduledSync,
  createStartDirectorySyncs,
} from './sync-steps.ts';
import { createRecomputeUsersActivity } from './recompute-users.ts';
import type { RunRecomputeDeps } from '../src/directory/attributes/run-recompute.ts';
import { createEraseUserActivity } from './erase-user.ts';
import { createRunDirectoryBatches } from './run-directory-batches.ts';
import type { DirectoryBatchStore } from '../src/directory/batches/ports.ts';
import type { EraseUserDeps } from '../src/directory/erasure/erase-user.ts';
import { interruptible, stopWithWorker } from './stop-with-worker.ts';
import { translateFailures } from './translate-failures.ts';
import type { WebhookRecoveryDeps } from '../src/directory/maintenance/recover-forgotten-work.ts';
import { Context } from '@temporalio/activity';
import { heartbeatTimeoutMs } from '../src/temporal/timeouts.ts';

export type ActivityDeps = ApplySubmittedMutationsDeps &
  Omit<RunSweepDeps, 'webhooks'> &
  WebhookRecoveryDeps &
  Omit<DeliverEventsDeps, 'store'> &
  OperatorActivityDeps &
  DeleteExpiredLogsDeps &
  StartSyncsDeps &
  DeleteDirectoryDataDeps &
  Pick<EraseUserDeps, 'erasures'> &
  Pick<RunRecomputeDeps, 'recomputes'> &
  Omit<SyncActivityDeps, 'store' | 'onApplied' | 'onQuotaReached'> & {
    syncs: SyncActivityDeps['store'];
    deliveries: DeliveryStore;
    batches: DirectoryBatchStore;
    /** Aborted when this process stops: it interrupts what would hold up the workers. */
    stopping: AbortSignal;
  };

/** Dependencies are bound once, when a worker starts. Workflows see only the type of the result. */
export function createActivities(deps: ActivityDeps) {
  const syncDeps = {
    ...deps,
    store: deps.syncs,
    onQuotaReached: deps.metrics.quotaReached,
    async onApplied(directoryId: string, { wake }: { wake: boolean }) {
      deps.watch.hint(directoryId);
      if (wake) await deps.wakeDelivery(directoryId);
    },
  } satisfies SyncActivityDeps;
  const asLocal = <Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) =>
    interruptible(deps.stopping, translateFailures(deps.log, activity));
  const withHeartbeats = <Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) =>
    keepAlive(translateFailures(deps.log, activity));
  return {
    applySubmittedMutations: asLocal(createApplySubmittedMutations(deps)),
    wakeDeliveries: asLocal(createWakeDeliveries(deps)),
    deliverEvents: withHeartbeats(createDeliverEvents({ ...deps, store: deps.deliveries })),
    deliverOperatorEvents: withHeartbeats(createDeliverOperatorEvents(deps)),
    wakeDeliveriesWithBacklog: withHeartbeats(createWakeDeliveriesWithBacklog(deps)),
    beginSync: withHeartbeats(createBeginSync(syncDeps)),
    // It sends its own heartbeats, which carry its position.
    executeSyncStep: stopWithWorker(createExecuteSyncStep(syncDeps)),
    endSync: withHeartbeats(createEndSync(syncDeps)),
    clearSyncs: withHeartbeats(createClearSyncs(syncDeps)),
    startDirectorySyncs: withHeartbeats(createStartDirectorySyncs(deps)),
    requestScheduledSync: withHeartbeats(createRequestScheduledSync(deps)),
    deleteDirectoryData: withHeartbeats(createDeleteDirectoryData(deps)),
    eraseUser: withHeartbeats(createEraseUserActivity({ ...syncDeps, erasures: deps.erasures })),
    runDirectoryBatches: withHeartbeats(createRunDirectoryBatches(syncDeps)),
    recomputeUsers: withHeartbeats(createRecomputeUsersActivity({ ...syncDeps, recomputes: deps.recomputes })),
    deleteExpiredLogs: withHeartbeats(createDeleteExpiredLogs(deps)),
    runSweep: withHeartbeats(createRunSweep({ ...deps, webhooks: deps })),
  };
}

export type Activities = ReturnType<typeof createActivities>;

/** Sends heartbeats while the activity runs, so that Temporal retries it only if its process died. The activity ends with its worker. */
const keepAlive =
  <Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    const { heartbeat, info } = Context.current();
    const beating = setInterval(() => heartbeat(), (info.heartbeatTimeoutMs ?? heartbeatTimeoutMs) / 3);
    try {
      return await stopWithWorker(activity)(...args);
    } finally {
      clearInterval(beating);
    }
  };
