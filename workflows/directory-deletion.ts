import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs, retryUpTo } from '../src/temporal/timeouts.ts';

const { deleteDirectoryData } = proxyActivities<Activities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: retryUpTo(30_000),
});

/** Deletes the rows of a deleted directory, which is no longer visible. */
export async function directoryDeletion(directoryId: string): Promise<void> {
  await deleteDirectoryData(directoryId);
}
