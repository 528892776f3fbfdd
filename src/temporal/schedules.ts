import { setTimeout as sleep } from 'node:timers/promises';
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
  type ScheduleSpec,
} from '@temporalio/client';
import type { Logger } from '../logger.ts';
import { deliveryQueue, scheduleIds } from './names.ts';
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
          log.warn({ error: error.message }, 'the schedules could not be looked at; trying again');
          return false;
        });
      await sleep(isDone ? againMs : afterFailureMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    } while (!stopping.signal.aborted);
  }
}

/** Made, changed or removed. */
async function reconcileSchedules(client: Client, { batchEverySeconds, syncs }: ScheduleTimes): Promise<void> {
  await Promise.all([
    ensureSchedule(client, scheduleIds.sweep, 'sweep', [], '1 minute'),
    ensureSchedule(client, scheduleIds.retain, 'retain', [], '1 hour'),
    batchEverySeconds === undefined
      ? removeSchedule(client, scheduleIds.processEvents)
      : ensureSchedule(client, scheduleIds.processEvents, 'processEvents', [[]], batchEverySeconds * 1000),
    syncs.reconcile(),
  ]);
}

type Every = NonNullable<ScheduleSpec['intervals']>[number]['every'];

async function ensureSchedule(client: Client, scheduleId: string, workflowType: string, args: unknown[], every: Every): Promise<void> {
  const wanted = {
    spec: { intervals: [{ every }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    action: { type: 'startWorkflow', workflowType, taskQueue: deliveryQueue, workflowTaskTimeout: workflowTaskTimeoutMs, args },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;
  try {
    // A sweep that is not scheduled yet may have been lost with every workflow: after a restore nothing waits for its first minute.
    await client.schedule.create({ scheduleId, ...wanted, state: { triggerImmediately: scheduleId === scheduleIds.sweep } });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule
      .getHandle(scheduleId)
      .update((former) => ({ ...former, ...wanted, action: { ...former.action, ...wanted.action } }));
  }
}

async function removeSchedule(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
