import { Context } from '@temporalio/activity';
import { createRunBatches, type RunBatchesDeps } from '../src/directory/batches/run-batches.ts';
import { workerStops } from './stop-with-worker.ts';

/** Others try again later, so that batches leave places to deliveries, whose queue they share. */
const directoriesAtOnce = 10;

export const createRunDirectoryBatches = (deps: RunBatchesDeps) => {
  const runBatches = createRunBatches(deps);
  let running = 0;
  return async function runDirectoryBatches(directoryId: string): Promise<'done' | 'wait'> {
    if (running >= directoriesAtOnce) return 'wait';
    running += 1;
    try {
      const progress = await runBatches(directoryId, Context.current().cancellationSignal);
      // The next attempt continues with what is left.
      if (progress === 'interrupted') throw workerStops();
      return progress;
    } finally {
      running -= 1;
    }
  };
};
