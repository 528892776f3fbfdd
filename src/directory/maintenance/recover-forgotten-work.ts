import type { DeliveryStore } from '../delivery/ports.ts';
import type { OperatorEventStore } from '../operator/drain-operator-events.ts';
import type { ChangeStore, DeletionStore, StagedMutationStore, WakeDelivery } from '../ports.ts';
import type { SyncRunStore } from '../sync/ports.ts';
import { createSemaphore } from '../../shared/semaphore.ts';
import { type TrimStore, trimHistory } from './retention.ts';

export interface RecoveryDeps {
  changes: Pick<ChangeStore, 'deleteOldOutcomes'>;
  staged: Pick<StagedMutationStore, 'deleteAbandoned'>;
  /** Unset where no webhooks are delivered. */
  webhooks?: WebhookRecoveryDeps | undefined;
  syncRuns: Pick<SyncRunStore, 'findForgotten'>;
  startSync(directoryId: string): Promise<void>;
  deletions: Pick<DeletionStore, 'findUnfinished'>;
  startDeletion(directoryId: string): Promise<void>;
  trim: TrimStore;
}

export interface WebhookRecoveryDeps {
  deliveries: Pick<DeliveryStore, 'findStalled'>;
  wakeDelivery: WakeDelivery;
  /** Restarts the activity of a delivery that no worker has, although its workflow waits for it. */
  restartLostDrain(directoryId: string): Promise<void>;
  operatorEvents: Pick<OperatorEventStore, 'oldest' | 'dropUndelivered'>;
  wakeOperator(): Promise<void>;
}

const stalledPerStep = 500;
const wokenAtOnce = 20;
const outcomesPerStep = 20_000;
const stagedPerStep = 100;
const operatorEventsPerStep = 2_000;

export interface Swept {
  woken: number;
  dropped: number;
  /** How many of the dropped rows were undelivered operator events. */
  operatorEvents?: number;
}

/** Resumes work that a crashed process left, and deletes expired rows. */
export async function recoverForgottenWork(deps: RecoveryDeps): Promise<Swept> {
  const { changes, staged, webhooks, syncRuns, deletions } = deps;
  const { woken, undelivered } = webhooks ? await sweepWebhooks(webhooks) : { woken: 0, undelivered: 0 };
  // The processes that requested these runs crashed before the runs began.
  await repeatUntilDone(async (limit) => startEach(await syncRuns.findForgotten(limit), deps.startSync), stalledPerStep);
  await startEach(await deletions.findUnfinished(stalledPerStep), deps.startDeletion);
  const forgotten =
    (await repeatUntilDone(changes.deleteOldOutcomes, outcomesPerStep)) + (await repeatUntilDone(staged.deleteAbandoned, stagedPerStep));
  await trimHistory(deps.trim);
  return { woken, dropped: forgotten + undelivered, operatorEvents: undelivered };
}

async function sweepWebhooks({ deliveries, wakeDelivery, restartLostDrain, operatorEvents, wakeOperator }: WebhookRecoveryDeps) {
  const woken = await repeatUntilDone(async (limit) => {
    const stalled = await deliveries.findStalled(limit);
    const { run } = createSemaphore(wokenAtOnce);
    const waking = stalled.map(({ directoryId, isHeld }) =>
      run(async () => {
        if (!isHeld) await restartLostDrain(directoryId);
        await wakeDelivery(directoryId);
      }),
    );
    // One that fails must not keep the others asleep: they were found now, and are not found again for 30 seconds.
    const failed = (await Promise.allSettled(waking)).find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
    return stalled.length;
  }, stalledPerStep);
  const undelivered = await repeatUntilDone(operatorEvents.dropUndelivered, operatorEventsPerStep);
  if (await operatorEvents.oldest()) await wakeOperator();
  return { woken, undelivered };
}

async function startEach(found: string[], start: (directoryId: string) => Promise<void>): Promise<number> {
  await Promise.all(found.map(start));
  return found.length;
}

const maxRounds = 20;

/** Small batches keep locks short; repeats until nothing is left. */
async function repeatUntilDone(doSome: (limit: number) => Promise<number>, limit: number): Promise<number> {
  let done = 0;
  for (let round = 1; round <= maxRounds; round += 1) {
    const count = await doSome(limit);
    done += count;
    if (count < limit) break;
  }
  return done;
}
