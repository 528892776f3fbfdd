import type { WakeDelivery } from '../ports.ts';
import { repeatUntilDone } from '../../shared/repeat-until-done.ts';
import { createSemaphore } from '../../shared/semaphore.ts';
import type { DeliveryStore } from './ports.ts';

export interface RestartStalledDeps {
  deliveries: Pick<DeliveryStore, 'findStalled'>;
  wakeDelivery: WakeDelivery;
  /** Restarts the activity of a delivery that no worker has, although its workflow waits for it. */
  restartLostDrain(directoryId: string): Promise<void>;
}

const stalledPerStep = 500;
const wokenAtOnce = 20;

/** Wakes deliveries that have been silent for this long although they have something to deliver. Returns how many. */
export function restartStalled({ deliveries, wakeDelivery, restartLostDrain }: RestartStalledDeps, silentMs: number): Promise<number> {
  return repeatUntilDone(async (limit) => {
    const stalled = await deliveries.findStalled(limit, silentMs);
    const { run } = createSemaphore(wokenAtOnce);
    const waking = stalled.map(({ directoryId, isHeld }) =>
      run(async () => {
        if (!isHeld) await restartLostDrain(directoryId);
        await wakeDelivery(directoryId);
      }),
    );
    // One that fails must not keep the others asleep: they were found now, and are not found again until they have been silent for as long.
    const failed = (await Promise.allSettled(waking)).find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
    return stalled.length;
  }, stalledPerStep);
}
