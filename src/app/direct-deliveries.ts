import type { Dispatcher } from 'undici';
import type { WebhookOrchestration } from './api.ts';
import { createDeliveryParts, maxDrains } from './delivery-parts.ts';
import { untilUnheld } from './signals-elsewhere.ts';
import type { Storage } from './storage.ts';
import type { Cleanup } from './with-cleanup.ts';
import type { Config } from '../config.ts';
import { createDrainLoops } from '../direct/drain-loops.ts';
import type { Applied } from '../directory/changes/apply-to-directory.ts';
import type { DeliverySignals } from '../directory/delivery/delivery-control.ts';
import { drainDeliveries } from '../directory/delivery/drain-deliveries.ts';
import { reportDrain } from '../directory/delivery/report-drain.ts';
import { wakeBacklogs } from '../directory/delivery/wake-backlogs.ts';
import type { WebhookRecoveryDeps } from '../directory/maintenance/recover-forgotten-work.ts';
import { drainOperatorEvents, logGivenUp } from '../directory/operator/drain-operator-events.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { createAdvisoryLock } from '../store/sql/advisory-lock.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

interface DirectDeliveriesOptions {
  config: Config;
  databaseUrl: string;
  storage: Storage;
  webhookAgent: Dispatcher;
  metrics: Metrics;
  log: Logger;
}

/** Without Temporal: this process delivers webhooks and operator events itself. The queue is the same, and so is the retry schedule. */
export interface DirectDeliveries {
  orchestration: WebhookOrchestration;
  signals: DeliverySignals;
  recovery: WebhookRecoveryDeps;
  onApplied(directoryId: string, applied: Pick<Applied, 'wake'>): void;
  stop(): Promise<void>;
}

/** A drain ends after this time, so that its position is stored, and begins again. */
const drainBudgetMs = 3_600_000;
const operatorKey = 'operator';
const heldMs = 1_500;
const lanesPerRead = 1_000;

export function createDirectDeliveries({ metrics, ...options }: DirectDeliveriesOptions, cleanup: Cleanup): DirectDeliveries {
  const { log } = options;
  const stopping = new AbortController();
  // The lane of a process that is gone. Its worker had the wake, so this process takes it over.
  const restarts = {
    wakeDelivery: (directoryId: string) => loops.wake(directoryId),
    restartDrain: ({ directoryId }: { directoryId: string }) => loops.wake(directoryId).then(() => 'ended' as const),
    restartLostDrain: () => Promise.resolve(),
  };
  const parts = createDeliveryParts({ ...options, stopping: stopping.signal }, restarts, cleanup);
  const { deliveries, lanes, deliveryLaneStarts, lease, webhookTimeoutMs: timeoutMs, operatorEvents } = parts;

  const loops = createDrainLoops({
    async drain(directoryId, signal) {
      // That process delivers, or its lease expires. A lane is released up to a second after its drain.
      if (await lanes.isHeldElsewhere(directoryId, lease.workerId)) return { kind: 'retry', delayMs: heldMs };
      const report = reportDrain({ metrics, log, wakeOperatorSoon }, directoryId);
      const run = { activityId: newId(), signal, budgetMs: drainBudgetMs, timeoutMs };
      return drainDeliveries({ ...parts, store: deliveries, ...report }, directoryId, run);
    },
    maxDrains,
    log,
  });
  const withLock = createAdvisoryLock(options.databaseUrl);
  const operatorLoop = createDrainLoops({
    async drain(_key, signal) {
      let drained = { retryInMs: heldMs } as Awaited<ReturnType<typeof drainOperatorEvents>>;
      // Of all processes, one at a time sends. The others look again: its drain may have missed their events.
      await withLock(operatorKey, async () => {
        drained = await drainOperatorEvents({ ...parts, onGivenUp: logGivenUp(log) }, { signal, timeoutMs });
      });
      return drained === 'done' ? { kind: 'drained' } : { kind: 'retry', delayMs: drained.retryInMs };
    },
    maxDrains: 1,
    log,
  });
  lease.start();
  // What earlier processes left waiting for a retry. The sweep would find it later.
  const resuming = wakeUnheld().catch((error: Error) => log.warn({ error: toLoggableMessage(error) }, 'could not wake deliveries'));

  return {
    orchestration: {
      wakeDelivery: loops.wake,
      processEvents(directoryIds) {
        // As with Temporal, the caller does not wait for the deliveries.
        void wakeBacklogs({ deliveries, wakeDelivery: loops.wake, metrics }, directoryIds).catch((error: Error) =>
          log.warn({ error: toLoggableMessage(error) }, 'could not wake deliveries'),
        );
        return Promise.resolve();
      },
      wakeOperatorSoon,
      // Without Temporal there are no schedules: the application calls `sync`.
      reconcileSchedule: () => Promise.resolve(),
    },
    signals: { pause: untilSettled, resume: loops.wake, retryNow: loops.wake },
    recovery: {
      deliveries,
      ...restarts,
      operatorEvents,
      healthAlerts: parts.healthAlerts,
      wakeOperator: () => operatorLoop.wake(operatorKey),
    },
    onApplied(directoryId, { wake }) {
      parts.watch.hint(directoryId);
      if (wake) void loops.wake(directoryId);
    },
    async stop() {
      stopping.abort();
      await resuming;
      await Promise.all([loops.stop(), operatorLoop.stop()]);
      await Promise.all([deliveryLaneStarts.forgiveOpen(), lease.stop()]);
    },
  };

  async function untilSettled(directoryId: string): Promise<boolean> {
    const startedMs = performance.now();
    return (await loops.untilIdle(directoryId)) && untilUnheld(lanes, { directoryId, workerId: lease.workerId, startedMs });
  }

  async function wakeUnheld(): Promise<void> {
    for (let found: string[] = []; !stopping.signal.aborted;) {
      found = await lanes.findUnheld(found.at(-1), lanesPerRead);
      await Promise.all(found.map(loops.wake));
      if (found.length < lanesPerRead) return;
    }
  }

  function wakeOperatorSoon(): void {
    if (parts.operator) void operatorLoop.wake(operatorKey);
  }
}
