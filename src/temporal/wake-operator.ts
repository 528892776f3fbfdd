import type { Client } from '@temporalio/client';
import type { deliverOperatorEvents } from '../../workflows/deliver-operator-events.ts';
import { tellAbsence } from './absence.ts';
import { deliveryQueue, operatorWorkflowId, wakeSignal } from './names.ts';
import { workflowTaskTimeoutMs } from './timeouts.ts';

/** Has what waits for the operator sent; more often than needed does no harm. */
export const createWakeOperator = (client: Client) => async (): Promise<void> => {
  try {
    await client.workflow.signalWithStart<typeof deliverOperatorEvents>('deliverOperatorEvents', {
      workflowId: operatorWorkflowId,
      taskQueue: deliveryQueue,
      workflowTaskTimeout: workflowTaskTimeoutMs,
      signal: wakeSignal,
      args: [],
    });
  } catch (error) {
    throw tellAbsence(error);
  }
};
