import type { WakeDelivery } from '../src/directory/ports.ts';
import type { Logger } from '../src/logger.ts';
import type { Metrics } from '../src/metrics.ts';
import { toFailure } from './failures.ts';

export const createWakeDeliveries = ({ wakeDelivery, metrics, log }: { wakeDelivery: WakeDelivery; metrics: Metrics; log: Logger }) =>
  async function wakeDeliveries(directoryIds: string[]): Promise<void> {
    try {
      await Promise.all(directoryIds.map(wakeDelivery));
      metrics.woken('change', directoryIds.length);
    } catch (error) {
      throw toFailure(error, log);
    }
  };
