import { retryUpTo } from '../src/temporal/timeouts.ts';
import { proxyWithHeartbeats } from './proxy-with-heartbeats.ts';

const { deleteExpiredLogs } = proxyWithHeartbeats({
  startToCloseTimeout: '30 minutes',
  retry: { initialInterval: '10 seconds', maximumAttempts: 3 },
});

/** Started by a schedule: deletes old deliveries and events. */
export async function retention(): Promise<void> {
  await deleteExpiredLogs();
}

const { runSweep } = proxyWithHeartbeats({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
});

/** Started by a schedule: resumes forgotten work, and deletes what has expired. */
export async function sweep(): Promise<void> {
  await runSweep();
}

const { deleteDirectoryData } = proxyWithHeartbeats({
  startToCloseTimeout: '1 hour',
  retry: retryUpTo(30_000),
});

/** Deletes the rows of a deleted directory, which is no longer visible. */
export async function directoryDeletion(directoryId: string): Promise<void> {
  await deleteDirectoryData(directoryId);
}

const { wakeDeliveriesWithBacklog } = proxyWithHeartbeats({
  startToCloseTimeout: '5 minutes',
  retry: retryUpTo(30_000),
});

/** Starts delivery of pending events in batches: first for these directories, then for all others. */
export async function eventProcessing(directoryIds: string[]): Promise<void> {
  await wakeDeliveriesWithBacklog(directoryIds);
}
