import type { DeliveryStore } from '../src/directory/delivery/ports.ts';
import type { OperatorEventStore } from '../src/directory/operator/deliver-operator-events.ts';
import type { ChangeStore, StagedMutationStore, WakeDelivery } from '../src/directory/ports.ts';
import type { Logger } from '../src/logger.ts';
import type { Metrics } from '../src/metrics.ts';
import { toFailure } from './failures.ts';

export interface SweepDeps {
  changes: ChangeStore;
  staged: StagedMutationStore;
  deliveries: DeliveryStore;
  wakeDelivery: WakeDelivery;
  operatorEvents: Pick<OperatorEventStore, 'first'>;
  wakeOperator(): Promise<void>;
  metrics: Metrics;
  log: Logger;
}

const forgottenAtOnce = 500;
const outcomesAtOnce = 20_000;
const stagedAtOnce = 100;

export const createSweep = ({ changes, staged, deliveries, wakeDelivery, operatorEvents, wakeOperator, metrics, log }: SweepDeps) =>
  async function sweep(): Promise<{ woken: number; dropped: number }> {
    try {
      const forgotten = await deliveries.findForgotten(forgottenAtOnce);
      await Promise.all(forgotten.map(wakeDelivery));
      metrics.woken('sweep', forgotten.length);
      if (await operatorEvents.first()) await wakeOperator();
      const dropped = (await dropAll(changes.forgetOutcomes, outcomesAtOnce)) + (await dropAll(staged.forget, stagedAtOnce));
      if (forgotten.length > 0) log.warn({ directories: forgotten.length }, 'woke deliveries that nobody was working on');
      return { woken: forgotten.length, dropped };
    } catch (error) {
      throw toFailure(error, log);
    }
  };

const maxRounds = 20;

/** Little at once, so that nobody waits for a lock; again as long as there is more. */
async function dropAll(drop: (limit: number) => Promise<number>, limit: number): Promise<number> {
  let dropped = 0;
  for (let round = 1; round <= maxRounds; round += 1) {
    const count = await drop(limit);
    dropped += count;
    if (count < limit) break;
  }
  return dropped;
}
