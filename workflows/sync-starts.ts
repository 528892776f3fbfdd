import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs, retryUpTo } from '../src/temporal/timeouts.ts';

const { startDirectorySyncs } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: { ...retryUpTo(30_000), maximumAttempts: 10 },
});

/** Starts the queued syncs of many directories, each in its own workflow. */
export async function bulkSync(directoryIds: string[]): Promise<void> {
  await startDirectorySyncs(directoryIds);
}

const { requestScheduledSync } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: { ...retryUpTo(30_000), maximumAttempts: 10 },
});

/**
 * Started by a directory's schedule. A schedule appends the time to the id of the workflow it starts, so it can't start `directorySync`
 * itself, of which each directory has one.
 */
export async function scheduledSync(directoryId: string): Promise<void> {
  await requestScheduledSync(directoryId);
}
