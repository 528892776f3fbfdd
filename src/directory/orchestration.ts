import type { SteerDelivery } from './delivery/operate-delivery.ts';
import type { ApplyGroup } from './intake.ts';
import type { WakeDelivery } from './ports.ts';
import type { SyncsDeps } from './sync/operate-syncs.ts';

/** What brings work about that outlives the request that asked for it: Temporal, or without one this process. */
export interface Orchestration extends Pick<SyncsDeps, 'startSync' | 'startSyncs' | 'cancelSync'> {
  apply: ApplyGroup;
  wakeDelivery: WakeDelivery;
  steer: SteerDelivery;
  processEvents(directoryIds: string[]): Promise<void>;
  wakeOperator(): Promise<void>;
  startDeletion(directoryId: string): Promise<void>;
  /** The schedule of a hosted directory follows what became of it. */
  keepSchedule(directoryId: string): Promise<void>;
}
