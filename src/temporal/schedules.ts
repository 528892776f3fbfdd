import { setTimeout as sleep } from 'node:timers/promises';
import { ScheduleOverlapPolicy, type Client, type ScheduleSpec } from '@temporalio/client';
import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import { waitAtMost } from '../shared/timeout.ts';
import { type Workflows, createScheduleAction } from './workflow-starter.ts';
import { deliveryQueue, scheduledWorkflowIds, scheduleIds } from './names.ts';
import { type SyncSchedules, putSchedule, removeSchedule } from './sync-schedules.ts';

interface ScheduleTimes {
  /** Unset: batches are delivered only on request. */
  batchEverySeconds: number | undefined;
  syncs: Pick<SyncSchedules, 'reconcile'>;
}

interface ScheduleReconciliation {
  /** Waits a short time for a reconciliation in progress. */
  stop(): Promise<void>;
}

const everyMs = 10 * 60_000;
const afterFailureMs = 5_000;
const timeoutMs = 20_000;
const stopTimeoutMs = 3_000;

/**
 * Keeps Temporal's schedules as configured: when a worker starts, and every ten minutes, which restores them after Temporal lost its data.
 * Nothing waits for it, because a Temporal that has just started is slow.
 */
export function reconcileSchedules(client: Client, times: ScheduleTimes, log: Logger): ScheduleReconciliation {
  const stopping = new AbortController();
  const reconciling = keepReconciled();
  return {
    async stop() {
      stopping.abort();
      await waitAtMost(stopTimeoutMs, reconciling);
    },
  };

  async function keepReconciled() {
    do {
      const isDone = await reconcileOnce(client, times)
        .then(() => true)
        .catch((error: Error) => {
          log.warn({ error: toLoggableMessage(error) }, 'could not reconcile the schedules; trying again');
          return false;
        });
      await sleep(isDone ? everyMs : afterFailureMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    } while (!stopping.signal.aborted);
  }
}

async function reconcileOnce(client: Client, { batchEverySeconds, syncs }: ScheduleTimes): Promise<void> {
  const maintained = client.withDeadline(Date.now() + timeoutMs, () =>
    Promise.all([
      ensureSchedule(client, 'sweep', [], '1 minute'),
      ensureSchedule(client, 'retention', [], '1 hour'),
      batchEverySeconds === undefined
        ? removeSchedule(client, scheduleIds.eventProcessing)
        : ensureSchedule(client, 'eventProcessing', [[]], batchEverySeconds * 1000),
    ]),
  );
  await Promise.all([maintained, syncs.reconcile()]);
}

type Every = NonNullable<ScheduleSpec['intervals']>[number]['every'];

const ensureSchedule = <Type extends keyof typeof scheduleIds>(
  client: Client,
  workflowType: Type,
  args: Parameters<Workflows[Type]>,
  every: Every,
): Promise<void> =>
  putSchedule(client, {
    scheduleId: scheduleIds[workflowType],
    spec: { intervals: [{ every }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    action: createScheduleAction(workflowType, args, { workflowId: scheduledWorkflowIds[workflowType], taskQueue: deliveryQueue }),
    // If there is no sweep yet, all workflows may be lost too: after a restore, recovery must not wait for the first minute to pass.
    state: { triggerImmediately: workflowType === 'sweep' },
  });
