import type { DeliverySignals } from './delivery/delivery-control.ts';
import type { CommitGroup } from './intake/intake.ts';
import type { WakeDelivery } from './ports.ts';
import type { SyncsDeps } from './sync/syncs.ts';

/** Runs the work that outlives the request that asked for it: in workflows, or in this process. */
export interface Orchestration extends Pick<SyncsDeps, 'startSync' | 'startSyncs' | 'cancelSync'> {
  commitGroup: CommitGroup;
  startDeletion(directoryId: string): Promise<void>;
}

/** Webhooks and schedules. Only Temporal runs them. */
export interface WebhookOrchestration {
  wakeDelivery: WakeDelivery;
  signals: DeliverySignals;
  processEvents(directoryIds: string[]): Promise<void>;
  /** Has pending events for the operator delivered. Returns immediately, and may fail silently: the sweep makes up for it. */
  wakeOperatorSoon(): void;
  /** Creates, changes or removes the schedule of a pulled directory. */
  reconcileSchedule(directoryId: string): Promise<void>;
}
