import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs, retryUpTo } from '../src/temporal/timeouts.ts';

const { deleteExpiredLogs } = proxyActivities<Activities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: { initialInterval: '10 seconds', maximumAttempts: 3 },
});

/** Started by a schedule: deletes old deliveries and events. */
export async function retention(): Promise<void> {
  await deleteExpiredLogs();
}

const { runSweep } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: { maximumAttempts: 3 },
});

/** Started by a schedule: resumes forgotten work, and deletes what has expired. */
export async function sweep(): Promise<void> {
  await runSweep();
}

const { deleteDirectoryData } = proxyActivities<Activities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: retryUpTo(30_000),
});

/** Deletes the rows of a deleted directory, which is no longer visible. */
export async function directoryDeletion(directoryId: string): Promise<void> {
  await deleteDirectoryData(directoryId);
}

const { wakeDeliveriesWithBacklog } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: retryUpTo(30_000),
});

/** Starts delivery of pending events in batches: first for these directories, then for all others. */
export async function eventProcessing(directoryIds: string[]): Promise<void> {
  await wakeDeliveriesWithBacklog(directoryIds);
}
