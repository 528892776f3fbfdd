import { ScheduleAlreadyRunning, ScheduleNotFoundError, type Client, type ScheduleOptions } from '@temporalio/client';
import { RejectedPayloadError } from './codec.ts';

export type DesiredSchedule = ScheduleOptions & { action: { workflowId: string } };

/** Creates the schedule, or updates the one with this id. A schedule whose arguments Rollcall did not seal is replaced. */
export async function putSchedule(client: Client, desired: DesiredSchedule): Promise<void> {
  const { scheduleId, spec, policies, action, state } = desired;
  const handle = client.schedule.getHandle(scheduleId);
  try {
    await client.schedule.create(desired);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    try {
      await handle.update((former) => ({
        ...former,
        spec,
        policies: { ...former.policies, ...policies },
        action: { ...former.action, ...action },
        state: { ...former.state, ...state },
      }));
    } catch (updateError) {
      if (!(updateError instanceof RejectedPayloadError)) throw updateError;
      await handle.delete();
      await client.schedule.create(desired);
    }
  }
}

export async function removeSchedule(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
