import type { WakeDelivery } from '../src/directory/ports.ts';
import type { Logger } from '../src/logger.ts';
import { toFailure } from './failures.ts';

export const createWakeDeliveries = ({ wakeDelivery, log }: { wakeDelivery: WakeDelivery; log: Logger }) =>
  async function wakeDeliveries(directoryIds: string[]): Promise<void> {
    try {
      await Promise.all(directoryIds.map(wakeDelivery));
    } catch (error) {
      throw toFailure(error, log);
    }
  };
