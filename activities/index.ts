import type { DeliveryStore } from '../src/directory/delivery/ports.ts';
import { createApplyMutations, type ApplyMutationsDeps } from './apply-mutations.ts';
import { createDeleteDirectory, type DeleteDirectoryDeps } from './delete-directory.ts';
import { createDrainDeliveries, type DrainDeliveriesDeps } from './drain-deliveries.ts';
import { createDeliverOperatorEvents, type OperatorActivityDeps } from './deliver-operator-events.ts';
import { keepAlive } from './keep-alive.ts';
import { createProcessEvents } from './process-events.ts';
import { createRetain, type RetainDeps } from './retain.ts';
import { createRequestScheduledSync, createStartSyncs, type StartSyncsDeps } from './start-syncs.ts';
import { createSweep, type SweepDeps } from './sweep.ts';
import { createBeginSync, createClearSyncs, createEndSync, createTakeSyncStep, type SyncActivityDeps } from './sync-directory.ts';
import { interruptible, stopWithWorker } from './stop-with-worker.ts';
import type { WebhookSweepDeps } from '../src/directory/sweep.ts';
import { createWakeDeliveries } from './wake-deliveries.ts';

export type ActivityDeps = ApplyMutationsDeps &
  Omit<SweepDeps, 'webhooks'> &
  WebhookSweepDeps &
  Omit<DrainDeliveriesDeps, 'store'> &
  OperatorActivityDeps &
  RetainDeps &
  StartSyncsDeps &
  DeleteDirectoryDeps &
  Omit<SyncActivityDeps, 'store' | 'onApplied'> & {
    syncs: SyncActivityDeps['store'];
    deliveries: DeliveryStore;
    /** Aborted when this process stops: it interrupts what would hold up the workers. */
    stopping: AbortSignal;
  };

/** Dependencies are bound once, when a worker starts. Workflows see only the type of the result. */
export function createActivities(deps: ActivityDeps) {
  const syncDeps: SyncActivityDeps = {
    ...deps,
    store: deps.syncs,
    async onApplied(directoryId, { wake }) {
      deps.watch.hint(directoryId);
      if (wake) await deps.wakeDelivery(directoryId);
    },
  };
  return {
    applyMutations: interruptible(deps.stopping, createApplyMutations(deps)),
    wakeDeliveries: interruptible(deps.stopping, createWakeDeliveries(deps)),
    drainDeliveries: keepAlive(createDrainDeliveries({ ...deps, store: deps.deliveries })),
    deliverOperatorEvents: keepAlive(createDeliverOperatorEvents(deps)),
    processEvents: keepAlive(createProcessEvents(deps)),
    beginSync: keepAlive(createBeginSync(syncDeps)),
    // It sends its own heartbeats, which carry its position.
    takeSyncStep: stopWithWorker(createTakeSyncStep(syncDeps)),
    endSync: keepAlive(createEndSync(syncDeps)),
    clearSyncs: keepAlive(createClearSyncs(syncDeps)),
    startSyncs: keepAlive(createStartSyncs(deps)),
    requestScheduledSync: keepAlive(createRequestScheduledSync(deps)),
    deleteDirectory: keepAlive(createDeleteDirectory(deps)),
    retain: keepAlive(createRetain(deps)),
    sweep: keepAlive(createSweep({ ...deps, webhooks: deps })),
  };
}

export type Activities = ReturnType<typeof createActivities>;
