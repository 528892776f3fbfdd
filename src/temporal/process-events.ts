import type { Client } from '@temporalio/client';
import type { processEvents } from '../../workflows/process-events.ts';
import { newId } from '../ids.ts';
import { tellAbsence } from './absence.ts';
import { deliveryQueue, processEventsWorkflowId } from './names.ts';
import { mustBeThere } from './presence.ts';
import { workflowTaskTimeoutMs } from './timeouts.ts';

/** Has these deliveries woken, and then all others that have a backlog, by a workflow: so a crash in between forgets none. */
export const createProcessEvents =
  (client: Client) =>
  async (directoryIds: string[]): Promise<void> => {
    try {
      await mustBeThere(client);
      await client.workflow.start<typeof processEvents>('processEvents', {
        workflowId: processEventsWorkflowId(newId()),
        taskQueue: deliveryQueue,
        workflowTaskTimeout: workflowTaskTimeoutMs,
        args: [directoryIds],
      });
    } catch (error) {
      throw tellAbsence(error);
    }
  };
