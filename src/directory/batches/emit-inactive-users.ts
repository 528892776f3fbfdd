import { pauseFor } from '../../shared/pause-for.ts';
import type { DirectoryBatchStore } from './ports.ts';

export interface EmitInactiveUsersDeps {
  batches: Pick<DirectoryBatchStore, 'emitInactive'>;
  wakeDelivery(directoryId: string): Promise<void>;
}

/** A batch has about 1,000 events, so this is at most about 5,000 a second: pushes to the directory wait for each batch. */
const minStepMs = 200;

/** Emits the events of a change of `inactive_users`. Each batch commits where the next one begins. */
export function createEmitInactiveUsers({ batches, wakeDelivery }: EmitInactiveUsersDeps) {
  return async function emitInactiveUsers(directoryId: string, signal: AbortSignal): Promise<'done' | 'wait' | 'interrupted'> {
    while (!signal.aborted) {
      const startedMs = performance.now();
      const progress = await batches.emitInactive(directoryId);
      await wakeDelivery(directoryId);
      if (progress !== 'more') return progress;
      await pauseFor(minStepMs - (performance.now() - startedMs), signal);
    }
    return 'interrupted';
  };
}
