import {
  WithStartWorkflowOperation,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import type { deliverEvents } from '../../workflows/deliver-events.ts';
import type { SteerDelivery } from '../directory/delivery/operate-delivery.ts';
import type { WakeDelivery } from '../directory/ports.ts';
import { tellAbsence } from './absence.ts';
import { absent, mustBeThere, within } from './presence.ts';
import { deliveryQueue, deliveryWorkflowId, pauseUpdate, resumeUpdate, retryNowSignal } from './names.ts';
import { workflowTaskTimeoutMs } from './timeouts.ts';

export interface SteerOptions {
  client: Client;
  wakeDelivery: WakeDelivery;
  taskQueue?: string;
  /** How long to wait for an exchange that is under way. */
  patienceMs?: number;
}

/** How long Temporal itself may take to take a message. */
const answerTimeoutMs = 5_000;

export function createSteerDelivery(options: SteerOptions): SteerDelivery {
  const { client, wakeDelivery, taskQueue = deliveryQueue, patienceMs = 9_000 } = options;
  const workflow = (directoryId: string) => ({
    workflowId: deliveryWorkflowId(directoryId),
    taskQueue,
    workflowTaskTimeout: workflowTaskTimeoutMs,
    args: [{ directoryId }] as Parameters<typeof deliverEvents>,
    searchAttributes: { DirectoryIds: [directoryId] },
  });

  return {
    async pause(directoryId) {
      await mustBeThere(client);
      return update(directoryId, pauseUpdate, patienceMs);
    },

    async resume(directoryId) {
      await mustBeThere(client);
      // A workflow that no worker looks at takes no update, but keeps a signal for later.
      if (!(await update(directoryId, resumeUpdate, answerTimeoutMs))) await mustTake(wakeDelivery(directoryId));
    },

    async retryNow(directoryId) {
      await mustBeThere(client);
      await mustTake(
        client.workflow.signalWithStart<typeof deliverEvents>('deliverEvents', { ...workflow(directoryId), signal: retryNowSignal }),
      );
    },
  };

  /** False if it was not answered in time. */
  async function update(directoryId: string, name: string, timeoutMs: number): Promise<boolean> {
    const startWorkflowOperation = new WithStartWorkflowOperation<typeof deliverEvents>('deliverEvents', {
      ...workflow(directoryId),
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    // It is told of a failure too, and nobody else listens there.
    startWorkflowOperation.workflowHandle().catch(() => undefined);
    try {
      const updated = client.withDeadline(Date.now() + timeoutMs, () =>
        client.workflow.executeUpdateWithStart(name, { startWorkflowOperation }),
      );
      return await within(updated, timeoutMs);
    } catch (error) {
      // Too late, or the workflow ended meanwhile: its directory is gone.
      if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || error instanceof WorkflowUpdateFailedError) return false;
      throw tellAbsence(error);
    }
  }
}

async function mustTake(message: Promise<unknown>): Promise<void> {
  const isTaken = await within(message, answerTimeoutMs).catch((error: unknown) => {
    throw tellAbsence(error);
  });
  if (!isTaken) throw absent();
}
