import type { DeletionStore } from '../directory/ports.ts';
import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

const rowsPerDelete = 5_000;

export interface Deletions {
  /** Returns before the deletion ends. */
  start(directoryId: string): Promise<void>;
  /** Unfinished deletions are resumed by the next maintenance. */
  stop(): Promise<void>;
}

/** Deletes the rows of deleted directories, a batch at a time. */
export function createDeletions({ deletions, log }: { deletions: DeletionStore; log: Logger }): Deletions {
  const running = new Map<string, Promise<void>>();
  let isStopping = false;

  return {
    start(directoryId) {
      if (!isStopping && !running.has(directoryId))
        running.set(
          directoryId,
          deleteAll(directoryId).finally(() => running.delete(directoryId)),
        );
      return Promise.resolve();
    },
    async stop() {
      isStopping = true;
      await Promise.all(running.values());
    },
  };

  async function deleteAll(directoryId: string): Promise<void> {
    try {
      while (!isStopping && (await deletions.deleteSome(directoryId, rowsPerDelete)));
    } catch (error) {
      log.warn({ directoryId, error: toLoggableMessage(error) }, 'a deletion was interrupted; it is resumed later');
    }
  }
}
