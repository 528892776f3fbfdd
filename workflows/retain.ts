import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs } from '../src/temporal/timeouts.ts';

const { retain: retainOnce } = proxyActivities<Activities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: { initialInterval: '10 seconds', maximumAttempts: 3 },
});

/** Started by a schedule: what the log of webhooks has kept long enough goes. */
export async function retain(): Promise<void> {
  await retainOnce();
}
