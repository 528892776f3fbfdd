import { continueAsNew, sleep, workflowInfo } from '@temporalio/workflow';
import type { RecomputeKey } from '../src/directory/attributes/ports.ts';
import { retryUpTo } from '../src/temporal/timeouts.ts';
import { proxyWithHeartbeats } from './proxy-with-heartbeats.ts';

const { recomputeUsers } = proxyWithHeartbeats({
  startToCloseTimeout: '1 hour',
  retry: retryUpTo(30_000),
});

/** Computes the attributes and roles of users of a directory again. Postgres knows which, and the progress. */
export async function attributeRecompute(key: RecomputeKey): Promise<void> {
  while ((await recomputeUsers(key)) === 'wait') {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof attributeRecompute>(key);
    await sleep('10 seconds');
  }
}
