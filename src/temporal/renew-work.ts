import type { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { createWorkflowClient } from './client.ts';
import { renewableWorkflows, syncSchedulePrefix } from './names.ts';
import type { SealedWork } from './sealed-work.ts';
import { createSyncSchedules } from './sync-schedules.ts';

interface Place {
  client: Client;
  connection: NativeConnection;
  namespace: string;
}

/**
 * Makes long-running workflows continue as new, which seals what they hold with the workers' first key, and writes the syncs' schedules
 * again. Other workflows end by themselves. The service's own schedules are written by its workers when they start.
 */
export async function renewWork({ client, connection, namespace }: Place, work: SealedWork[]): Promise<void> {
  const { renew } = createWorkflowClient(client);
  for (const { kind, id, type } of work) {
    if (kind === 'workflow' && renewableWorkflows.includes(type)) await renew(id);
    if (kind === 'schedule' && id.startsWith(syncSchedulePrefix)) await renewSyncSchedule({ client, connection, namespace }, id);
  }
}

/** Keeps its interval, and whether it is paused. Its old payloads need not be opened. */
async function renewSyncSchedule({ client, connection, namespace }: Place, scheduleId: string): Promise<void> {
  const { schedule } = await connection.workflowService.describeSchedule({ namespace, scheduleId });
  const everySeconds = Number(schedule?.spec?.interval?.[0]?.interval?.seconds ?? 0);
  if (everySeconds === 0) return;
  const schedules = createSyncSchedules({ client, everySeconds, listPulled: () => Promise.resolve([]) });
  await schedules.keep({ id: scheduleId.slice(syncSchedulePrefix.length), deactivated: schedule?.state?.paused === true });
}
