import { Context } from '@temporalio/activity';
import { createRunBatches, type RunBatchesDeps } from '../src/directory/batches/run-batches.ts';
import { workerStops } from './stop-with-worker.ts';

/** Others try again later, so that batches leave places to deliveries, whose queue they share. */
const directoriesAtOnce = 10;

/** After `turnMs`, a directory leaves its place to others for a moment. */
export const createRunDirectoryBatches = (deps: RunBatchesDeps, { turnMs = 30_000 } = {}) => {
  const runBatches = createRunBatches(deps);
  let running = 0;
  return async function runDirectoryBatches(directoryId: string): Promise<'done' | 'wait' | 'more'> {
    if (running >= directoriesAtOnce) return 'wait';
    running += 1;
    try {
      const { cancellationSignal: stopping } = Context.current();
      const progress = await runBatches(directoryId, AbortSignal.any([stopping, AbortSignal.timeout(turnMs)]));
      if (progress !== 'interrupted') return progress;
      // The next attempt continues with what is left.
      if (stopping.aborted) throw workerStops();
      return 'more';
    } finally {
      running -= 1;
    }
  };
};
