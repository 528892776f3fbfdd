import type { RunBatches } from '../directory/batches/run-batches.ts';
import type { Logger } from '../logger.ts';
import { pauseFor } from '../shared/pause-for.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

interface BatchWork {
  /** Returns before the work ends. */
  start(directoryId: string): Promise<void>;
  /** Unfinished work is resumed by the next maintenance. */
  stop(): Promise<void>;
}

const [minWaitMs, maxWaitMs] = [2_000, 30_000];

/** Does in this process what is too much for one transaction of a directory. */
export function createBatchWork({
  runBatches,
  log,
  pause = pauseFor,
}: {
  runBatches: RunBatches;
  log: Logger;
  pause?: typeof pauseFor;
}): BatchWork {
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  return {
    start(directoryId) {
      if (!stopping.signal.aborted && !running.has(directoryId))
        running.set(
          directoryId,
          run(directoryId).finally(() => running.delete(directoryId)),
        );
      return Promise.resolve();
    },
    async stop() {
      stopping.abort();
      await Promise.all(running.values());
    },
  };

  async function run(directoryId: string): Promise<void> {
    try {
      for (let waitMs = minWaitMs; ; waitMs = Math.min(maxWaitMs, 2 * waitMs)) {
        if ((await runBatches(directoryId, stopping.signal)) !== 'wait' || stopping.signal.aborted) return;
        await pause(waitMs, stopping.signal);
      }
    } catch (error) {
      log.warn({ directoryId, error: toLoggableMessage(error) }, 'work in batches was interrupted; it is resumed later');
    }
  }
}
