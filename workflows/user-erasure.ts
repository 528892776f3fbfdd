import { continueAsNew, sleep, workflowInfo } from '@temporalio/workflow';
import type { UserKey } from '../src/directory/erasure/ports.ts';
import { retryUpTo } from '../src/temporal/timeouts.ts';
import { proxyWithHeartbeats } from './proxy-with-heartbeats.ts';

const { eraseUser } = proxyWithHeartbeats({
  startToCloseTimeout: '1 hour',
  retry: retryUpTo(30_000),
});

/** Deletes a user, and erases what was kept about it. Postgres has the progress. */
export async function userErasure(user: UserKey): Promise<void> {
  while ((await eraseUser(user)) === 'wait') {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof userErasure>(user);
    await sleep('10 seconds');
  }
}
