import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs, retryUpTo } from '../src/temporal/timeouts.ts';

const { processEvents: wakeAll } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: retryUpTo(30_000),
});

/** Has what waits delivered in batches: of these directories, and of all that turn up meanwhile. */
export async function processEvents(directoryIds: string[]): Promise<void> {
  await wakeAll(directoryIds);
}
