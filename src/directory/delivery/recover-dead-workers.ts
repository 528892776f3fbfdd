import type { Logger } from '../../logger.ts';
import { toLoggableMessage } from '../../shared/loggable-message.ts';
import { limitConcurrency } from '../../shared/semaphore.ts';
import type { AbandonedLane, WorkerLeaseStore } from './ports.ts';

export interface RecoverDeadWorkersDeps {
  store: Pick<WorkerLeaseStore, 'claimAbandoned' | 'releaseLanes' | 'forgetWorkers'>;
  /** Restarts the drain of a dead worker. `ended`: it did not run, and the delivery is woken. */
  restartDrain(lane: AbandonedLane): Promise<'restarted' | 'ended'>;
  /** Restarts deliveries that have been silent for this long: a dead worker may have received them before it could take their lanes. */
  restartSilent(silentMs: number): Promise<unknown>;
  log: Logger;
  now?: () => number;
}

const lanesPerStep = 100;
const restartsAtOnce = 10;
/** A worker is dead for at least this long when its lease expires. */
const silentMs = 2_000;
/** For this long after a worker was found dead: Temporal may have sent it a delivery just before it noticed. */
const lookForSilentMs = 4_000;

/** Restarts the deliveries of workers whose leases have expired. One call runs at a time; the next one continues where a failed one stopped. */
export function createRecoverDeadWorkers(deps: RecoverDeadWorkersDeps, signal: AbortSignal): (workerIds: string[]) => Promise<void> {
  const { store, restartSilent, log, now = () => performance.now() } = deps;
  const { restartDrain } = limitConcurrency({ restartDrain: deps.restartDrain }, restartsAtOnce);
  /** Since when the workers that are dead have been known to be. */
  let deadSinceMs = new Map<string, number>();
  let isRestarting = false;
  /** The dead workers of the last failure. */
  let failedFor: string | undefined;

  return async function recoverDeadWorkers(workerIds: string[]): Promise<void> {
    if (isRestarting) return;
    isRestarting = true;
    let hasRestarted = false;
    try {
      for (let claimed = lanesPerStep; claimed === lanesPerStep && !signal.aborted;) {
        const lanes = await store.claimAbandoned(workerIds, lanesPerStep);
        claimed = lanes.length;
        const results = await Promise.all(lanes.map(restartDrain));
        hasRestarted ||= claimed > 0;
        const ended = lanes.filter((_, index) => results[index] === 'ended');
        if (ended.length > 0) await store.releaseLanes(ended);
        if (claimed > ended.length) log.warn({ directories: claimed - ended.length }, 'restarted deliveries of a worker that is gone');
      }
      await restartSilentOf(workerIds);
      await store.forgetWorkers(workerIds);
      // A lane is claimed every two seconds only, so a call without any proves nothing.
      if (hasRestarted) failedFor = undefined;
    } catch (error) {
      // Once per outage, because it tries again each second.
      const deadWorkers = [...workerIds].sort().join();
      if (failedFor !== deadWorkers)
        log.warn({ error: toLoggableMessage(error as Error) }, 'could not restart deliveries of a worker that is gone, and tries again');
      failedFor = deadWorkers;
    } finally {
      isRestarting = false;
    }
  };

  async function restartSilentOf(workerIds: string[]): Promise<void> {
    const nowMs = now();
    deadSinceMs = new Map(workerIds.map((id) => [id, deadSinceMs.get(id) ?? nowMs]));
    if ([...deadSinceMs.values()].some((sinceMs) => nowMs - sinceMs < lookForSilentMs)) await restartSilent(silentMs);
  }
}
