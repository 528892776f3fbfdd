import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs } from '../src/temporal/timeouts.ts';

const { sweep: sweepOnce } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: { maximumAttempts: 3 },
});

/** Started by a schedule: wakes forgotten deliveries, and drops what is kept for a time only. */
export async function sweep(): Promise<void> {
  await sweepOnce();
}
