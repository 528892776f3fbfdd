import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs, retryUpTo } from '../src/temporal/timeouts.ts';

const { deleteDirectory: deleteAll } = proxyActivities<Activities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: retryUpTo(30_000),
});

/** Takes away what belonged to a directory that nobody sees any more. */
export async function deleteDirectory(directoryId: string): Promise<void> {
  await deleteAll(directoryId);
}
