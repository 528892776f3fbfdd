import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs } from '../src/temporal/timeouts.ts';

const { deleteExpiredLogs } = proxyActivities<Activities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: { initialInterval: '10 seconds', maximumAttempts: 3 },
});

/** Started by a schedule: deletes old deliveries and events. */
export async function retention(): Promise<void> {
  await deleteExpiredLogs();
}
