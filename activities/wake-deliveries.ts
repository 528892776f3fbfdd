import type { DeliveryStore } from '../src/directory/delivery/ports.ts';
import type { WakeDelivery } from '../src/directory/ports.ts';
import type { Logger } from '../src/logger.ts';
import type { Metrics } from '../src/metrics.ts';
import { toFailure } from './to-failure.ts';

export interface WakeDeliveriesDeps {
  deliveries: Pick<DeliveryStore, 'wakeBacklogs'>;
  wakeDelivery: WakeDelivery;
  metrics: Metrics;
  log: Logger;
}

const directoriesPerRound = 200;

export const createWakeDeliveries = ({ wakeDelivery, metrics, log }: Omit<WakeDeliveriesDeps, 'deliveries'>) =>
  async function wakeDeliveries(directoryIds: string[]): Promise<void> {
    try {
      await Promise.all(directoryIds.map(wakeDelivery));
      metrics.woken('change', directoryIds.length);
    } catch (error) {
      throw toFailure(error, log);
    }
  };

/** Wakes these deliveries, then all others with pending events. After a crash it continues, and the sweep wakes what is in between. */
export const createWakeDeliveriesWithBacklog = ({ deliveries, wakeDelivery, metrics, log }: WakeDeliveriesDeps) =>
  async function wakeDeliveriesWithBacklog(directoryIds: string[]): Promise<void> {
    try {
      await Promise.all(directoryIds.map(wakeDelivery));
      metrics.woken('request', directoryIds.length);
      for (let woken = directoriesPerRound; woken === directoriesPerRound;) {
        const found = await deliveries.wakeBacklogs(directoriesPerRound);
        await Promise.all(found.map(wakeDelivery));
        woken = found.length;
        metrics.woken('request', found.length);
      }
    } catch (error) {
      throw toFailure(error, log);
    }
  };
