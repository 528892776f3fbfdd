import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { deliveryPhaseQuery, pauseUpdate, renewSignal, resumeUpdate, retryNowSignal, wakeSignal } from '../src/temporal/names.ts';
import { heartbeatTimeoutMs, retryUpTo } from '../src/temporal/timeouts.ts';

export interface DeliverEventsInput {
  directoryId: string;
}

interface DeliveryPhase {
  phase: 'idle' | 'delivering' | 'waiting';
  /** When the wait for the next attempt ends, in ms since 1970. */
  untilMs?: number;
}

const { drainDeliveries } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  // Only our own infrastructure makes it fail: what a receiver does is in its result, and the ladder in Postgres. When that is back,
  // nobody is to wait much longer.
  retry: retryUpTo(5_000),
});

export const wake = defineSignal(wakeSignal);
export const retryNow = defineSignal(retryNowSignal);
export const renew = defineSignal(renewSignal);
/** Completes once nothing is in flight. */
export const pause = defineUpdate<void, [], typeof pauseUpdate>(pauseUpdate);
export const resume = defineUpdate<void, [], typeof resumeUpdate>(resumeUpdate);
const phase = defineQuery<DeliveryPhase>(deliveryPhaseQuery);

/**
 * Delivers one directory's events, for as long as the directory exists. It holds no data: Postgres knows what is due, and whether
 * deliveries are paused. The update `pause` is answered when nothing is being sent any more.
 * A drain whose worker seems dead is begun again while its POST may still be on its way: the lane's epoch lets only one of them go on, and
 * both send the same bytes under the same id.
 */
export async function deliverEvents(input: DeliverEventsInput): Promise<void> {
  let woken = true;
  let isRenewing = false;
  let state: DeliveryPhase = { phase: 'idle' };
  const look = () => void (woken = true);
  setHandler(wake, look);
  setHandler(retryNow, look);
  setHandler(resume, look);
  setHandler(renew, () => void (isRenewing = true));
  setHandler(pause, () => condition(() => state.phase !== 'delivering'));
  setHandler(phase, () => state);

  while (!workflowInfo().continueAsNewSuggested && !isRenewing) {
    await condition(() => woken || isRenewing);
    // The next run begins with a look.
    if (isRenewing) break;
    woken = false;
    state = { phase: 'delivering' };
    const drained = await drainDeliveries(input.directoryId);
    state = { phase: 'idle' };
    if (drained.kind === 'gone') return;
    if (drained.kind === 'more') woken = true;
    if (drained.kind === 'retry') {
      state = { phase: 'waiting', untilMs: Date.now() + drained.delayMs };
      await condition(() => woken || isRenewing, drained.delayMs);
      woken = true;
    }
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof deliverEvents>(input);
}
