import type { RunBatches } from '../directory/batches/run-batches.ts';
import type { Logger } from '../logger.ts';
import { pauseFor } from '../shared/pause-for.ts';
import { createBackgroundWork, type BackgroundWork } from './background-work.ts';

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
}): BackgroundWork<string> {
  return createBackgroundWork({
    run,
    idOf: (directoryId) => directoryId,
    describe: (directoryId) => ({ directoryId }),
    interrupted: 'work in batches was interrupted; it is resumed later',
    log,
  });

  async function run(directoryId: string, signal: AbortSignal): Promise<void> {
    for (let waitMs = minWaitMs; ; waitMs = Math.min(maxWaitMs, 2 * waitMs)) {
      if ((await runBatches(directoryId, signal)) !== 'wait' || signal.aborted) return;
      await pause(waitMs, signal);
    }
  }
}
