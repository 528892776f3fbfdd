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
