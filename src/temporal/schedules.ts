import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
  type ScheduleSpec,
} from '@temporalio/client';
import { deliveryQueue, scheduleIds } from './names.ts';

export interface ScheduleTimes {
  /** Unset: batches are asked for by nobody but callers. */
  batchEverySeconds: number | undefined;
}

/**
 * Makes Temporal's schedules what the configuration says: made, changed or removed. Every worker does so when it starts, which also
 * brings everything back after Temporal lost its data.
 */
export async function reconcileSchedules(client: Client, { batchEverySeconds }: ScheduleTimes): Promise<void> {
  await Promise.all([
    ensureSchedule(client, scheduleIds.sweep, 'sweep', [], '1 minute'),
    ensureSchedule(client, scheduleIds.retain, 'retain', [], '1 hour'),
    batchEverySeconds === undefined
      ? removeSchedule(client, scheduleIds.processEvents)
      : ensureSchedule(client, scheduleIds.processEvents, 'processEvents', [[]], batchEverySeconds * 1000),
  ]);
}

type Every = NonNullable<ScheduleSpec['intervals']>[number]['every'];

async function ensureSchedule(client: Client, scheduleId: string, workflowType: string, args: unknown[], every: Every): Promise<void> {
  const wanted = {
    spec: { intervals: [{ every }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    action: { type: 'startWorkflow', workflowType, taskQueue: deliveryQueue, args },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;
  try {
    await client.schedule.create({ scheduleId, ...wanted });
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
