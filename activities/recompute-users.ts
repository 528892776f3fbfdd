import { Context } from '@temporalio/activity';
import type { RecomputeKey } from '../src/directory/attributes/ports.ts';
import { createRunRecompute, type RunRecomputeDeps } from '../src/directory/attributes/run-recompute.ts';
import { workerStops } from './stop-with-worker.ts';

/** Others try again later, so that recomputations leave places to deliveries, whose queue they share. */
const recomputesAtOnce = 10;
/** Groups of a directory may change all the time. So while others wait, each gives up its place after this long. */
const turnMs = 30_000;
/** Also without others, so that an attempt does not time out. */
const longestMs = 1_800_000;
/** Whoever waits has tried again by then. */
const waitMs = 15_000;

export const createRecomputeUsersActivity = (deps: RunRecomputeDeps) => {
  let running = 0;
  let turnedAwayMs = Number.NEGATIVE_INFINITY;
  const mayContinue = (ranMs: number) => ranMs < (performance.now() - turnedAwayMs > waitMs ? longestMs : turnMs);
  const run = createRunRecompute({ ...deps, mayLinger: () => running <= recomputesAtOnce / 2, mayContinue });
  return async function recomputeUsers(key: RecomputeKey): Promise<'done' | 'wait'> {
    if (running >= recomputesAtOnce) {
      turnedAwayMs = performance.now();
      return 'wait';
    }
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
