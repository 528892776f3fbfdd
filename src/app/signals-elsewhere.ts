import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { DeliverySignals } from '../directory/delivery/delivery-control.ts';
import { newId } from '../ids.ts';
import { createUnheldLanes, type UnheldLanes } from '../store/deliveries/unheld-lanes.ts';
import { translateOutages } from '../store/sql/outages.ts';

const timeoutMs = 9_000;
const pollMs = 100;

/** For a process that delivers no webhooks: another one may, and notices in its sweep what is due. */
export function createSignalsElsewhere(db: Knex): DeliverySignals {
  const lanes = translateOutages(createUnheldLanes(db, { inBatches: false }));
  const workerId = newId();
  return {
    pause: (directoryId) => untilUnheld(lanes, { directoryId, workerId, startedMs: performance.now() }),
    resume: () => Promise.resolve(),
    retryNow: () => Promise.resolve(),
  };
}

interface UnheldOptions {
  directoryId: string;
  workerId: string;
  startedMs: number;
}

/** Whether no other process sends any more. One that does sees that the delivery is paused, and releases the lane. */
export async function untilUnheld(
  lanes: Pick<UnheldLanes, 'isHeldElsewhere'>,
  { directoryId, workerId, startedMs }: UnheldOptions,
): Promise<boolean> {
  while (await lanes.isHeldElsewhere(directoryId, workerId)) {
    if (performance.now() - startedMs >= timeoutMs) return false;
    await sleep(pollMs);
  }
  return true;
}
