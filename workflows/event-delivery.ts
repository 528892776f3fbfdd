import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { deliveryPhaseQuery, pauseUpdate, renewSignal, resumeUpdate, retryNowSignal, wakeSignal } from '../src/temporal/names.ts';
import { drainHeartbeatTimeoutMs, retryUpTo } from '../src/temporal/timeouts.ts';
import { proxyWithHeartbeats } from './proxy-with-heartbeats.ts';

interface EventDeliveryInput {
  directoryId: string;
}

interface DeliveryPhase {
  phase: 'idle' | 'delivering' | 'waiting';
  /** When the next attempt is due, in ms since 1970. */
  untilMs?: number;
}

const { deliverEvents } = proxyWithHeartbeats({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: drainHeartbeatTimeoutMs,
  // The activity fails only if Postgres or Temporal do: a receiver's failure is a result, and its retry schedule is in Postgres. Once they are
  // back, deliveries must continue soon.
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
 * Delivers a directory's events for as long as the directory exists. It holds no data: Postgres has what is due, and whether delivery is
 * paused. If the worker of a delivery seems dead, another one starts while a POST may still be in flight: the lane's epoch lets only one
 * of them continue, and both send the same bytes under the same ID.
 */
export async function eventDelivery(input: EventDeliveryInput): Promise<void> {
  let isWoken = true;
  let isRenewing = false;
  let state: DeliveryPhase = { phase: 'idle' };
  const wakeUp = () => void (isWoken = true);
  setHandler(wake, wakeUp);
  setHandler(retryNow, wakeUp);
  setHandler(resume, wakeUp);
  setHandler(renew, () => void (isRenewing = true));
  setHandler(pause, () => condition(() => state.phase !== 'delivering'));
  setHandler(phase, () => state);

  let isGone = false;
  try {
    while (!isGone && !mustRenew()) {
      // Pauses make the history longer without waking it.
      await condition(() => isWoken || mustRenew());
      // The next run starts with a delivery.
      if (!mustRenew()) isGone = (await deliver()) === 'gone';
    }
  } finally {
    // An update in progress would fail if the workflow ended before its handler.
    state = { phase: 'idle' };
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
  if (!isGone) await continueAsNew<typeof eventDelivery>(input);

  function mustRenew(): boolean {
    return isRenewing || workflowInfo().continueAsNewSuggested;
  }

  async function deliver(): Promise<'gone' | undefined> {
    isWoken = false;
    state = { phase: 'delivering' };
    const delivered = await deliverEvents(input.directoryId);
    state = { phase: 'idle' };
    switch (delivered.kind) {
      case 'gone':
        return 'gone';
      case 'more':
        isWoken = true;
        return undefined;
      case 'retry':
        state = { phase: 'waiting', untilMs: Date.now() + delivered.delayMs };
        await condition(() => isWoken || mustRenew(), delivered.delayMs);
        isWoken = true;
        return undefined;
      case 'drained':
      case 'inactive':
        return undefined;
    }
  }
}
