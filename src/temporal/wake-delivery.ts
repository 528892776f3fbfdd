import type { Client } from '@temporalio/client';
import type { deliverEvents } from '../../workflows/deliver-events.ts';
import type { WakeDelivery } from '../directory/ports.ts';
import { tellAbsence } from './absence.ts';
import { deliveryQueue, deliveryWorkflowId, wakeSignal } from './names.ts';
import { workflowTaskTimeoutMs } from './timeouts.ts';

export interface WakeOptions {
  client: Client;
  taskQueue?: string;
}

/** Starts the directory's delivery workflow if it does not run, and tells it to look; the signal carries nothing. */
export function createWakeDelivery({ client, taskQueue = deliveryQueue }: WakeOptions): WakeDelivery {
  return async function wakeDelivery(directoryId) {
    try {
      await client.workflow.signalWithStart<typeof deliverEvents>('deliverEvents', {
        workflowId: deliveryWorkflowId(directoryId),
        taskQueue,
        signal: wakeSignal,
        workflowTaskTimeout: workflowTaskTimeoutMs,
        args: [{ directoryId }],
        searchAttributes: { DirectoryIds: [directoryId] },
      });
    } catch (error) {
      throw tellAbsence(error);
    }
  };
}
