import type { DeletionStore } from '../directory/ports.ts';
import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

const rowsAtOnce = 5_000;

export interface Deletions {
  /** Does not wait for its end. */
  start(directoryId: string): Promise<void>;
  /** What is left is taken up by whoever keeps house next. */
  stop(): Promise<void>;
}

/** Takes away what belonged to a directory that nobody sees any more, some at a time. */
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
      while (!isStopping && (await deletions.deleteSome(directoryId, rowsAtOnce)));
    } catch (error) {
      log.warn({ directoryId, error: toLoggableMessage(error) }, 'a deletion was interrupted, and will be taken up again');
    }
  }
}
