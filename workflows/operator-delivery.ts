import { condition, continueAsNew, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import { renewSignal, wakeSignal } from '../src/temporal/names.ts';
import { retryUpTo } from '../src/temporal/timeouts.ts';
import { proxyWithHeartbeats } from './proxy-with-heartbeats.ts';

const { deliverOperatorEvents } = proxyWithHeartbeats({
  startToCloseTimeout: '10 minutes',
  retry: retryUpTo(30_000),
});

export const wake = defineSignal(wakeSignal);
const renew = defineSignal(renewSignal);

/** Delivers the operator's events for as long as the service exists. Postgres has what is due. */
export async function operatorDelivery(): Promise<void> {
  let isWoken = true;
  let isRenewing = false;
  setHandler(wake, () => void (isWoken = true));
  setHandler(renew, () => void (isRenewing = true));
  while (!workflowInfo().continueAsNewSuggested && !isRenewing) {
    await condition(() => isWoken || isRenewing);
    // The next run starts with a delivery.
    if (isRenewing) break;
    isWoken = false;
    const delivered = await deliverOperatorEvents();
    if (delivered.kind === 'done') continue;
    await condition(() => isWoken || isRenewing, delivered.delayMs);
    isWoken = true;
  }
  await continueAsNew<typeof operatorDelivery>();
}
