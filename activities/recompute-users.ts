import { Context } from '@temporalio/activity';
import type { RecomputeKey } from '../src/directory/attributes/ports.ts';
import { createRunRecompute, type RunRecomputeDeps } from '../src/directory/attributes/run-recompute.ts';
import { workerStops } from './stop-with-worker.ts';

/** Others try again later, so that recomputations leave places to deliveries, whose queue they share. */
const recomputesAtOnce = 10;

export const createRecomputeUsersActivity = (deps: RunRecomputeDeps) => {
  const run = createRunRecompute(deps);
  let running = 0;
  return async function recomputeUsers(key: RecomputeKey): Promise<'done' | 'wait'> {
    if (running >= recomputesAtOnce) return 'wait';
    running += 1;
    try {
      const progress = await run(key, Context.current().cancellationSignal);
      // The next attempt continues with what is left.
      if (progress === 'interrupted') throw workerStops();
      return progress;
    } finally {
      running -= 1;
    }
  };
};
