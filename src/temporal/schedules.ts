import { setTimeout as sleep } from 'node:timers/promises';
import { ScheduleNotFoundError, ScheduleOverlapPolicy, type Client, type ScheduleSpec } from '@temporalio/client';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import type { Logger } from '../logger.ts';
import { deliveryQueue, scheduledWorkflowIds, scheduleIds } from './names.ts';
import { putSchedule } from './put-schedule.ts';
import type { SyncSchedules } from './sync-schedules.ts';
import { workflowTaskTimeoutMs } from './timeouts.ts';

interface ScheduleTimes {
  /** Unset: batches are asked for by nobody but callers. */
  batchEverySeconds: number | undefined;
  /** Those of hosted directories. */
  syncs: Pick<SyncSchedules, 'reconcile'>;
}

interface KeptSchedules {
  /** What is under way is finished first, if it does not take long. */
  stop(): Promise<void>;
}

const againMs = 10 * 60_000;
const afterFailureMs = 5_000;
const patienceMs = 20_000;
const stopPatienceMs = 3_000;

/**
 * Makes Temporal's schedules what the configuration says when a worker starts, and looks again every ten minutes: that brings them back
 * after Temporal lost its data. Nobody waits for it, since a Temporal that has just started takes its time.
 */
export function keepSchedules(client: Client, times: ScheduleTimes, log: Logger): KeptSchedules {
  const stopping = new AbortController();
  const kept = keep();
  return {
    async stop() {
      stopping.abort();
      await Promise.race([kept, sleep(stopPatienceMs, undefined, { ref: false })]);
    },
  };

  async function keep() {
    do {
      const isDone = await client
        .withDeadline(Date.now() + patienceMs, () => reconcileSchedules(client, times))
        .then(() => true)
        .catch((error: Error) => {
          log.warn({ error: toLoggableMessage(error) }, 'the schedules could not be looked at; trying again');
          return false;
        });
      await sleep(isDone ? againMs : afterFailureMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    } while (!stopping.signal.aborted);
  }
}

/** Made, changed or removed. */
async function reconcileSchedules(client: Client, { batchEverySeconds, syncs }: ScheduleTimes): Promise<void> {
  await Promise.all([
    ensureSchedule(client, 'sweep', [], '1 minute'),
    ensureSchedule(client, 'retain', [], '1 hour'),
    batchEverySeconds === undefined
      ? removeSchedule(client, scheduleIds.processEvents)
      : ensureSchedule(client, 'processEvents', [[]], batchEverySeconds * 1000),
    syncs.reconcile(),
  ]);
}

type Every = NonNullable<ScheduleSpec['intervals']>[number]['every'];

const ensureSchedule = (client: Client, workflowType: keyof typeof scheduleIds, args: unknown[], every: Every): Promise<void> =>
  putSchedule(client, {
    scheduleId: scheduleIds[workflowType],
    spec: { intervals: [{ every }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    action: {
      type: 'startWorkflow',
      workflowType,
      workflowId: scheduledWorkflowIds[workflowType],
      taskQueue: deliveryQueue,
      workflowTaskTimeout: workflowTaskTimeoutMs,
      args,
    },
    // A sweep that is not scheduled yet may have been lost with every workflow: after a restore nothing waits for its first minute.
    state: { triggerImmediately: workflowType === 'sweep' },
  });

async function removeSchedule(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
