import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { renewSignal, renewableWorkflows, syncSchedulePrefix } from './names.ts';
import type { SealedWork } from './sealed-payloads.ts';
import { createSyncSchedules } from './sync-schedules.ts';

interface Place {
  client: Client;
  connection: NativeConnection;
  namespace: string;
}

/**
 * Has long-running workflows continue as new, which seals what they hold with the workers' first key, and writes schedules anew. Workflows
 * of other types end by themselves. The schedules of the service itself are written by its workers when they start.
 */
export async function renewWork({ client, connection, namespace }: Place, work: SealedWork[]): Promise<void> {
  for (const { kind, id, type } of work) {
    if (kind === 'workflow' && renewableWorkflows.includes(type))
      await connection.workflowService.signalWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: id },
        signalName: renewSignal,
        requestId: randomUUID(),
      });
    if (kind === 'schedule' && id.startsWith(syncSchedulePrefix)) await renewSyncSchedule({ client, connection, namespace }, id);
  }
}

/** Its times and whether it is paused stay as they are. Its former payloads need not be opened for that. */
async function renewSyncSchedule({ client, connection, namespace }: Place, scheduleId: string): Promise<void> {
  const { schedule } = await connection.workflowService.describeSchedule({ namespace, scheduleId });
  const everySeconds = Number(schedule?.spec?.interval?.[0]?.interval?.seconds ?? 0);
  if (everySeconds === 0) return;
  const schedules = createSyncSchedules({ client, everySeconds, listHosted: () => Promise.resolve([]) });
  await schedules.keep({ id: scheduleId.slice(syncSchedulePrefix.length), deactivated: schedule?.state?.paused === true });
}
