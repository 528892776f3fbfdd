import type { ChangeStore, DeliveryStore, StagedMutationStore, WakeDelivery } from '../src/directory/ports.ts';
import type { Logger } from '../src/logger.ts';
import { toFailure } from './failures.ts';

export interface SweepDeps {
  changes: ChangeStore;
  staged: StagedMutationStore;
  deliveries: DeliveryStore;
  wakeDelivery: WakeDelivery;
  log: Logger;
}

const forgottenAtOnce = 500;
const outcomesAtOnce = 20_000;
const stagedAtOnce = 100;

export const createSweep = ({ changes, staged, deliveries, wakeDelivery, log }: SweepDeps) =>
  async function sweep(): Promise<{ woken: number; dropped: number }> {
    try {
      const forgotten = await deliveries.findForgotten(forgottenAtOnce);
      await Promise.all(forgotten.map(wakeDelivery));
      const dropped = (await changes.forgetOutcomes(outcomesAtOnce)) + (await staged.forget(stagedAtOnce));
      if (forgotten.length > 0) log.warn({ directories: forgotten.length }, 'woke deliveries that nobody was working on');
      return { woken: forgotten.length, dropped };
    } catch (error) {
      throw toFailure(error, log);
    }
  };
