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
  for (let seconds = minWaitSeconds; (await runDirectoryBatches(directoryId)) === 'wait'; seconds = Math.min(maxWaitSeconds, 2 * seconds)) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof directoryBatches>(directoryId);
    await sleep(`${seconds} seconds`);
  }
}
