import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs, retryUpTo } from '../src/temporal/timeouts.ts';

const { startSyncs: startAll, requestScheduledSync } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: { ...retryUpTo(30_000), maximumAttempts: 10 },
});

/** Runs were asked for of these directories: a workflow for each takes them up. */
export async function startSyncs(directoryIds: string[]): Promise<void> {
  await startAll(directoryIds);
}

/** Started by a directory's schedule. A schedule puts the time into the name of what it starts, and of runs there is to be one at a time. */
export async function tickSync(directoryId: string): Promise<void> {
  await requestScheduledSync(directoryId);
}
