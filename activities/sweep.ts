import type { DeliveryStore } from '../src/directory/delivery/ports.ts';
import type { OperatorEventStore } from '../src/directory/operator/deliver-operator-events.ts';
import type { ChangeStore, DeletionStore, StagedMutationStore, WakeDelivery } from '../src/directory/ports.ts';
import type { SyncRunStore } from '../src/directory/sync/ports.ts';
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
  syncRuns: Pick<SyncRunStore, 'findForgotten'>;
  startSync(directoryId: string): Promise<void>;
  deletions: Pick<DeletionStore, 'findUnfinished'>;
  startDeletion(directoryId: string): Promise<void>;
  metrics: Metrics;
  log: Logger;
}

const forgottenAtOnce = 500;
const outcomesAtOnce = 20_000;
const stagedAtOnce = 100;

export const createSweep = (deps: SweepDeps) => {
  const { deletions, startDeletion } = deps;
  const { changes, staged, deliveries, wakeDelivery, operatorEvents, wakeOperator, syncRuns, startSync, metrics, log } = deps;
  return async function sweep(): Promise<{ woken: number; dropped: number }> {
    try {
      const woken = await doAll(wakeForgotten, forgottenAtOnce);
      metrics.woken('sweep', woken);
      if (await operatorEvents.first()) await wakeOperator();
      await doAll(startForgottenSyncs, forgottenAtOnce);
      await Promise.all((await deletions.findUnfinished(forgottenAtOnce)).map(startDeletion));
      const dropped = (await doAll(changes.forgetOutcomes, outcomesAtOnce)) + (await doAll(staged.forget, stagedAtOnce));
      if (woken > 0) log.warn({ directories: woken }, 'woke deliveries that nobody was working on');
      return { woken, dropped };
    } catch (error) {
      throw toFailure(error, log);
    }
  };

  /** Whoever asked for them died before their workflow was started. */
  async function startForgottenSyncs(limit: number): Promise<number> {
    const forgotten = await syncRuns.findForgotten(limit);
    await Promise.all(forgotten.map(startSync));
    return forgotten.length;
  }

  async function wakeForgotten(limit: number): Promise<number> {
    const forgotten = await deliveries.findForgotten(limit);
    await Promise.all(forgotten.map(wakeDelivery));
    return forgotten.length;
  }
};

const maxRounds = 20;

/** Little at once, so that nobody waits for a lock; again as long as there is more. */
async function doAll(doSome: (limit: number) => Promise<number>, limit: number): Promise<number> {
  let done = 0;
  for (let round = 1; round <= maxRounds; round += 1) {
    const count = await doSome(limit);
    done += count;
    if (count < limit) break;
  }
  return done;
}
