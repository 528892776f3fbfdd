import { Context } from '@temporalio/activity';
import { createEraseUser, type EraseUserDeps } from '../src/directory/erasure/erase-user.ts';
import type { UserKey } from '../src/directory/erasure/ports.ts';
import { workerStops } from './stop-with-worker.ts';

/** Further erasures wait, because deliveries share the task queue. */
const maxConcurrentErasures = 10;

export const createEraseUserActivity = (deps: EraseUserDeps) => {
  const erase = createEraseUser(deps);
  let running = 0;
  return async function eraseUser(user: UserKey): Promise<'done' | 'wait'> {
    if (running >= maxConcurrentErasures) return 'wait';
    running += 1;
    try {
      const progress = await erase(user, Context.current().cancellationSignal);
      // The next attempt continues with what is left.
      if (progress === 'interrupted') throw workerStops();
      return progress;
    } finally {
      running -= 1;
    }
  };
};
