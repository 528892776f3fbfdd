import { condition, continueAsNew, defineSignal, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { renewSignal, wakeSignal } from '../src/temporal/names.ts';
import { heartbeatTimeoutMs, retryUpTo } from '../src/temporal/timeouts.ts';

const { deliverOperatorEvents: deliver } = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: retryUpTo(30_000),
});

export const wake = defineSignal(wakeSignal);
const renew = defineSignal(renewSignal);

/** Tells the operator of directories, for as long as the service is there. Postgres knows what is due. */
export async function deliverOperatorEvents(): Promise<void> {
  let woken = true;
  let isRenewing = false;
  setHandler(wake, () => void (woken = true));
  setHandler(renew, () => void (isRenewing = true));
  while (!workflowInfo().continueAsNewSuggested && !isRenewing) {
    await condition(() => woken || isRenewing);
    // The next run begins with a look.
    if (isRenewing) break;
    woken = false;
    const delivered = await deliver();
    if (delivered === 'done') continue;
    await condition(() => woken || isRenewing, delivered.retryInMs);
    woken = true;
  }
  await continueAsNew<typeof deliverOperatorEvents>();
}
