import { Context } from '@temporalio/activity';
import { createEraseUser, type EraseUserDeps } from '../src/directory/erasure/erase-user.ts';
import type { UserKey } from '../src/directory/erasure/ports.ts';
import { workerStops } from './stop-with-worker.ts';

export const createEraseUserActivity = (deps: EraseUserDeps) => {
  const erase = createEraseUser(deps);
  return async function eraseUser(user: UserKey): Promise<'done' | 'wait'> {
    const progress = await erase(user, Context.current().cancellationSignal);
    // The next attempt continues with what is left.
    if (progress === 'interrupted') throw workerStops();
    return progress;
  };
};
