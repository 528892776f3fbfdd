import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type Client } from '@temporalio/client';
import type { sweep } from '../../workflows/sweep.ts';
import { deliveryQueue, sweepScheduleId } from './names.ts';

/** Every worker asks for the schedule when it starts; it also brings deliveries back after Temporal lost its data. */
export async function ensureSweepSchedule(client: Client): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId: sweepScheduleId,
      spec: { intervals: [{ every: '1 minute' }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      action: { type: 'startWorkflow', workflowType: 'sweep' satisfies (typeof sweep)['name'], taskQueue: deliveryQueue, args: [] },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
