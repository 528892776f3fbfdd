import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { DeletionStore, WakeDelivery } from '../src/directory/ports.ts';
import type { Logger } from '../src/logger.ts';
import { toFailure } from './failures.ts';

export interface DeleteDirectoryDeps {
  deletions: DeletionStore;
  wakeDelivery: WakeDelivery;
  removeSchedule(directoryId: string): Promise<void>;
  log: Logger;
}

const rowsAtOnce = 5_000;

/** Little at once, so that nobody waits for a lock; a successor goes on with what is left. */
export const createDeleteDirectory = ({ deletions, wakeDelivery, removeSchedule, log }: DeleteDirectoryDeps) =>
  async function deleteDirectory(directoryId: string): Promise<void> {
    const { cancellationSignal: signal } = Context.current();
    try {
      await removeSchedule(directoryId);
      // Its workflow finds it gone, and ends.
      await wakeDelivery(directoryId);
      while (await deletions.deleteSome(directoryId, rowsAtOnce)) {
        if (signal.aborted) throw ApplicationFailure.retryable('This worker ends; another one goes on.', 'worker_ends');
      }
    } catch (error) {
      if (error instanceof ApplicationFailure) throw error;
      throw toFailure(error, log);
    }
  };
