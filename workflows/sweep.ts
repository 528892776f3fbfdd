import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs } from '../src/temporal/timeouts.ts';

const { runSweep } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: { maximumAttempts: 3 },
});

/** Started by a schedule: resumes forgotten work, and deletes what has expired. */
export async function sweep(): Promise<void> {
  await runSweep();
}
