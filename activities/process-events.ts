import type { DeliveryStore } from '../src/directory/delivery/ports.ts';
import type { WakeDelivery } from '../src/directory/ports.ts';
import type { Logger } from '../src/logger.ts';
import type { Metrics } from '../src/metrics.ts';
import { toFailure } from './failures.ts';

export interface ProcessEventsDeps {
  deliveries: Pick<DeliveryStore, 'wakeBacklogs'>;
  wakeDelivery: WakeDelivery;
  metrics: Metrics;
  log: Logger;
}

const directoriesAtOnce = 200;

/** Wakes every delivery that has events; run again after a crash, it goes on where it was, and the sweep wakes what lay between. */
export const createProcessEvents = ({ deliveries, wakeDelivery, metrics, log }: ProcessEventsDeps) =>
  async function processEvents(directoryIds: string[]): Promise<void> {
    try {
      await Promise.all(directoryIds.map(wakeDelivery));
      metrics.woken('request', directoryIds.length);
      for (let woken = directoriesAtOnce; woken === directoriesAtOnce;) {
        const found = await deliveries.wakeBacklogs(directoriesAtOnce);
        await Promise.all(found.map(wakeDelivery));
        woken = found.length;
        metrics.woken('request', found.length);
      }
    } catch (error) {
      throw toFailure(error, log);
    }
  };
