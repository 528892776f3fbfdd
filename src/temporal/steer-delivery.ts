import {
  WithStartWorkflowOperation,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import type { deliverEvents } from '../../workflows/deliver-events.ts';
import type { SteerDelivery } from '../directory/delivery/operate-delivery.ts';
import type { WakeDelivery } from '../directory/ports.ts';
import { AppError } from '../errors.ts';
import { tellAbsence } from './absence.ts';
import { deliveryQueue, deliveryWorkflowId, pauseUpdate, resumeUpdate, retryNowSignal } from './names.ts';

export interface SteerOptions {
  client: Client;
  webhookTimeoutMs: number;
  wakeDelivery: WakeDelivery;
  taskQueue?: string;
  /** How long to wait for an exchange that is under way. */
  patienceMs?: number;
}

/** How long Temporal itself may take to say that it is there, and to take a message. */
const [presenceTimeoutMs, answerTimeoutMs] = [2_000, 5_000];

export function createSteerDelivery(options: SteerOptions): SteerDelivery {
  const { client, webhookTimeoutMs, wakeDelivery, taskQueue = deliveryQueue, patienceMs = 9_000 } = options;
  const workflow = (directoryId: string) => ({
    workflowId: deliveryWorkflowId(directoryId),
    taskQueue,
    args: [{ directoryId, heartbeatTimeoutMs: webhookTimeoutMs * 2 }] as Parameters<typeof deliverEvents>,
    searchAttributes: { DirectoryIds: [directoryId] },
  });

  return {
    async pause(directoryId) {
      await mustBeThere();
      return update(directoryId, pauseUpdate, patienceMs);
    },

    async resume(directoryId) {
      await mustBeThere();
      // A workflow that no worker looks at takes no update, but keeps a signal for later.
      if (!(await update(directoryId, resumeUpdate, answerTimeoutMs))) await mustTake(wakeDelivery(directoryId));
    },

    async retryNow(directoryId) {
      await mustBeThere();
      await mustTake(
        client.workflow.signalWithStart<typeof deliverEvents>('deliverEvents', { ...workflow(directoryId), signal: retryNowSignal }),
      );
    },
  };

  /** Asked first: while it is away, the SDK tries for longer than anybody waits. */
  async function mustBeThere(): Promise<void> {
    const isThere = await within(client.workflowService.getSystemInfo({}), presenceTimeoutMs).catch(() => false);
    if (!isThere) throw absent();
  }

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

const absent = () => new AppError('unavailable', 'The workflow service does not answer; try again.');

async function within(running: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, timeoutMs, false)));
  return Promise.race([running.then(() => true as const), late]).finally(() => clearTimeout(timer));
}
