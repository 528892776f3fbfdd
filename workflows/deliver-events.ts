import { condition, continueAsNew, defineSignal, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { wakeSignal } from '../src/temporal/names.ts';

export interface DeliverEventsInput {
  directoryId: string;
  /** Twice what one exchange may take: a successor starts when its predecessor's POST is over. Each drain says the next one's. */
  heartbeatTimeoutMs: number;
}

const wake = defineSignal(wakeSignal);

/** Delivers one directory's events, for as long as the directory exists. It holds no data: Postgres knows what is due. */
export async function deliverEvents(input: DeliverEventsInput): Promise<void> {
  let { heartbeatTimeoutMs } = input;
  let woken = true;
  setHandler(wake, () => void (woken = true));

  while (!workflowInfo().continueAsNewSuggested) {
    await condition(() => woken);
    woken = false;
    const drained = await drain(input.directoryId, heartbeatTimeoutMs);
    heartbeatTimeoutMs = drained.heartbeatTimeoutMs;
    if (drained.kind === 'gone') return;
    if (drained.kind === 'more') woken = true;
    if (drained.kind === 'retry') {
      await condition(() => woken, drained.delayMs);
      woken = true;
    }
  }
  await continueAsNew<typeof deliverEvents>({ ...input, heartbeatTimeoutMs });
}

function drain(directoryId: string, heartbeatTimeout: number) {
  const { drainDeliveries } = proxyActivities<Activities>({
    startToCloseTimeout: '2 minutes',
    heartbeatTimeout,
    // Only our own infrastructure makes it fail: what a receiver does is in its result, and the ladder in Postgres.
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
  });
  return drainDeliveries(directoryId);
}
