import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { DeletionStore, WakeDelivery } from '../src/directory/ports.ts';
import type { Logger } from '../src/logger.ts';
import { toFailure } from './to-failure.ts';
import { workerStops } from './stop-with-worker.ts';

export interface DeleteDirectoryDataDeps {
  deletions: DeletionStore;
  wakeDelivery: WakeDelivery;
  removeSchedule(directoryId: string): Promise<void>;
  log: Logger;
}

const rowsPerDelete = 5_000;

/** Deletes in small transactions, so that nothing waits long for a lock. The next attempt continues with what is left. */
export const createDeleteDirectoryData = ({ deletions, wakeDelivery, removeSchedule, log }: DeleteDirectoryDataDeps) =>
  async function deleteDirectoryData(directoryId: string): Promise<void> {
    const { cancellationSignal: signal } = Context.current();
    try {
      await removeSchedule(directoryId);
      // The delivery workflow notices that the directory is gone, and ends.
      await wakeDelivery(directoryId);
      while (await deletions.deleteSome(directoryId, rowsPerDelete)) {
        if (signal.aborted) throw workerStops();
      }
    } catch (error) {
      if (error instanceof ApplicationFailure) throw error;
      throw toFailure(error, log);
    }
  };
