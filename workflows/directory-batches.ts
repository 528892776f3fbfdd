import { continueAsNew, sleep, workflowInfo } from '@temporalio/workflow';
import { retryUpTo } from '../src/temporal/timeouts.ts';
import { proxyWithHeartbeats } from './proxy-with-heartbeats.ts';

const { runDirectoryBatches } = proxyWithHeartbeats({
  startToCloseTimeout: '1 hour',
  retry: retryUpTo(30_000),
});

const [minWaitSeconds, maxWaitSeconds] = [2, 30];

/** Does what is too much for one transaction of a directory. Postgres has the progress. */
export async function directoryBatches(directoryId: string): Promise<void> {
  for (let seconds = minWaitSeconds; ; seconds = Math.min(maxWaitSeconds, 2 * seconds)) {
    const progress = await runDirectoryBatches(directoryId);
    if (progress === 'done') return;
    // Others get a turn.
    if (progress === 'more') seconds = minWaitSeconds;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof directoryBatches>(directoryId);
    await sleep(`${seconds} seconds`);
  }
}
