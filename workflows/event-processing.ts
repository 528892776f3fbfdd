import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs, retryUpTo } from '../src/temporal/timeouts.ts';

const { wakeDeliveriesWithBacklog } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: retryUpTo(30_000),
});

/** Has pending events delivered in batches: those of these directories, then those of all others. */
export async function eventProcessing(directoryIds: string[]): Promise<void> {
  await wakeDeliveriesWithBacklog(directoryIds);
}
