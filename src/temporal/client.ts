import {
  ActivityNotFoundError,
  type Client,
  WithStartWorkflowOperation,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import type { pause, renew, resume, retryNow, wake } from '../../workflows/event-delivery.ts';
import type { cancel, wake as wakeSync } from '../../workflows/directory-sync.ts';
import type * as workflows from '../../workflows/index.ts';
import type { wake as wakeOperator } from '../../workflows/operator-delivery.ts';
import type { RecomputeKey } from '../directory/attributes/ports.ts';
import type { AbandonedLane } from '../directory/delivery/ports.ts';
import type { UserKey } from '../directory/erasure/ports.ts';
import type { SubmittedMutation } from '../directory/ports.ts';
import { newId } from '../ids.ts';
import { waitAtMost } from '../shared/timeout.ts';
import * as names from './names.ts';
import { assertReachable, toUnavailableError, unavailable } from './connect.ts';
import { createWorkflowStarter, signal, toOptions, update } from './workflow-starter.ts';

interface WorkflowClientOptions {
  /** How long `pauseDelivery` waits for an attempt that is in flight. */
  pauseTimeoutMs?: number;
}

/** How long Temporal may take to accept a start or a message. */
const acceptTimeoutMs = 5_000;
const restartDelayMs = 50;
/** Processes of the release before send heartbeats each second. */
const silentAfterMs = 30_000;

type DrainActivity = Pick<AbandonedLane, 'directoryId' | 'activityId'>;

export type MutationsHandle = WorkflowHandle<typeof workflows.mutationGroup> & { eagerlyStarted: boolean };
export type WorkflowClient = ReturnType<typeof createWorkflowClient>;

/** Starts every workflow, and sends every signal and update. While Temporal is down, each call fails with `unavailable`. */
export function createWorkflowClient(client: Client, { pauseTimeoutMs = 9_000 }: WorkflowClientOptions = {}) {
  const { start, signalWithStart } = createWorkflowStarter(client);
  return {
    ...createDeliveryCalls(client, pauseTimeoutMs),
    ...createSyncCalls(client),

    /** Asks for an eager start: the first workflow task then comes back with the start call, to the worker in this process. */
    startMutations: (mutations: SubmittedMutation[]): Promise<MutationsHandle> =>
      translateOutages(() =>
        client.withDeadline(Date.now() + acceptTimeoutMs, () =>
          start('mutationGroup', {
            ...toOptions(names.mutationGroupWorkflowId(mutations[0]!.id), names.mutationQueue, [
              ...new Set(mutations.map(({ directoryId }) => directoryId)),
            ]),
            requestEagerStart: true,
            args: [mutations],
          }),
        ),
      ),

    readResults: (handle: MutationsHandle, deadlineMs: number) => client.withDeadline(deadlineMs, () => handle.result()),

    /** It is safe to call this more often than needed. */
    wakeOperatorDelivery: (): Promise<void> =>
      translateOutages(async () => {
        await signalWithStart('operatorDelivery', {
          ...toOptions(names.operatorDeliveryWorkflowId, names.deliveryQueue),
          signal: signal<typeof wakeOperator>(names.wakeSignal),
          args: [],
        });
      }),

    /** Each directory has one deletion: starting it again does nothing. */
    startDeletion: (directoryId: string): Promise<void> =>
      translateOutages(async () => {
        await start('directoryDeletion', {
          ...toOptions(names.directoryDeletionWorkflowId(directoryId), names.deliveryQueue, [directoryId]),
          workflowIdConflictPolicy: 'USE_EXISTING',
          args: [directoryId],
        });
      }),

    /** Each directory has one workflow for its batches: starting it again does nothing. */
    startBatches: (directoryId: string): Promise<void> =>
      translateOutages(async () => {
        await start('directoryBatches', {
          ...toOptions(names.directoryBatchesWorkflowId(directoryId), names.deliveryQueue, [directoryId]),
          workflowIdConflictPolicy: 'USE_EXISTING',
          args: [directoryId],
        });
      }),

    /** Starting an erasure again does nothing. */
    startErasure: (user: UserKey): Promise<void> =>
      translateOutages(async () => {
        await start('userErasure', {
          ...toOptions(names.userErasureWorkflowId(user.directoryId, user.erasureId), names.deliveryQueue, [user.directoryId]),
          workflowIdConflictPolicy: 'USE_EXISTING',
          args: [user],
        });
      }),

    /** Starting a recomputation again does nothing. */
    startRecompute: (key: RecomputeKey): Promise<void> =>
      translateOutages(async () => {
        await start('attributeRecompute', {
          ...toOptions(names.attributeRecomputeWorkflowId(key.directoryId, key.recomputeId), names.deliveryQueue, [key.directoryId]),
          workflowIdConflictPolicy: 'USE_EXISTING',
          args: [key],
        });
      }),

    /** The workflow continues as new, which seals what it holds with the newest key. */
    renew: (workflowId: string): Promise<void> => client.workflow.getHandle(workflowId).signal(signal<typeof renew>(names.renewSignal)),
  };
}

function createDeliveryCalls(client: Client, pauseTimeoutMs: number) {
  const { start, signalWithStart } = createWorkflowStarter(client);
  return {
    wakeDelivery,

    retryDelivery: (directoryId: string): Promise<void> =>
      reach(client, () =>
        assertAccepted(
          signalWithStart('eventDelivery', {
            ...ofDelivery(directoryId),
            signal: signal<typeof retryNow>(names.retryNowSignal),
          }),
        ),
      ),

    /** Returns true once nothing is in flight; false if that takes too long. */
    pauseDelivery: (directoryId: string): Promise<boolean> =>
      reach(client, () => updateDelivery(client, directoryId, update<typeof pause>(names.pauseUpdate), pauseTimeoutMs)),

    /** Without a running worker nothing accepts the update, but Temporal keeps a signal. */
    resumeDelivery: (directoryId: string): Promise<void> =>
      reach(client, async () => {
        const isAccepted = await updateDelivery(client, directoryId, update<typeof resume>(names.resumeUpdate), acceptTimeoutMs);
        if (!isAccepted) await assertAccepted(wakeDelivery(directoryId));
      }),

    restartDrain,

    /**
     * Fails the activity of a drain that no worker has: it never reached its worker, or its result was lost. One with a recent heartbeat runs
     * in a process of the release before, which has no lease.
     */
    restartLostDrain: (directoryId: string): Promise<void> =>
      translateOutages(async () => {
        try {
          const handle = client.workflow.getHandle(names.deliveryWorkflowId(directoryId));
          const { raw } = await client.withDeadline(Date.now() + acceptTimeoutMs, () => handle.describe());
          const silent = (raw.pendingActivities ?? []).filter(
            ({ lastHeartbeatTime: last }) => Date.now() - 1_000 * (last?.seconds?.toNumber() ?? 0) >= silentAfterMs,
          );
          await Promise.all(silent.map(async ({ activityId }) => activityId && failDrain({ directoryId, activityId })));
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      }),

    /** Wakes these deliveries, then all others with a backlog. A workflow does it, so a crash in between skips none. */
    processEvents: (directoryIds: string[]): Promise<void> =>
      reach(client, async () => {
        await start('eventProcessing', {
          ...toOptions(names.eventProcessingWorkflowId(newId()), names.deliveryQueue),
          args: [directoryIds],
        });
      }),
  };

  /** Starts the directory's delivery workflow if it does not run. */
  function wakeDelivery(directoryId: string): Promise<void> {
    return translateOutages(async () => {
      await signalWithStart('eventDelivery', {
        ...ofDelivery(directoryId),
        signal: signal<typeof wake>(names.wakeSignal),
      });
    });
  }

  /** Fails the activity of a worker that is gone, so that Temporal starts it elsewhere. `ended`: it did not run, and the delivery is woken. */
  function restartDrain(drain: DrainActivity): Promise<'restarted' | 'ended'> {
    return translateOutages(async () => {
      const failed = await failDrain(drain);
      if (failed === 'ended') await wakeDelivery(drain.directoryId);
      return failed;
    });
  }

  async function failDrain({ directoryId, activityId }: DrainActivity): Promise<'restarted' | 'ended'> {
    const failure = ApplicationFailure.create({ message: 'Its worker is gone.', type: 'worker_gone', nextRetryDelay: restartDelayMs });
    const workflowId = names.deliveryWorkflowId(directoryId);
    try {
      await client.withDeadline(Date.now() + acceptTimeoutMs, () => client.activity.fail({ workflowId, activityId }, failure));
      return 'restarted';
    } catch (error) {
      if (!(error instanceof ActivityNotFoundError)) throw error;
      return 'ended';
    }
  }
}

async function assertAccepted(message: Promise<unknown>): Promise<void> {
  if (!(await waitAtMost(acceptTimeoutMs, message))) throw unavailable();
}

/** Returns false if the workflow did not respond in time, or ended because its directory is deleted. */
async function updateDelivery(
  client: Client,
  directoryId: string,
  definition: UpdateDefinition<void>,
  timeoutMs: number,
): Promise<boolean> {
  const startWorkflowOperation = new WithStartWorkflowOperation<typeof workflows.eventDelivery>('eventDelivery', {
    ...ofDelivery(directoryId),
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  // This promise rejects too when the update fails, and nothing else handles it.
  startWorkflowOperation.workflowHandle().catch(() => undefined);
  try {
    const updated = client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.executeUpdateWithStart(definition, { startWorkflowOperation }),
    );
    return await waitAtMost(timeoutMs, updated);
  } catch (error) {
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || error instanceof WorkflowUpdateFailedError) return false;
    throw error;
  }
}

function createSyncCalls(client: Client) {
  const { start, signalWithStart } = createWorkflowStarter(client);
  return {
    /** Each directory has one sync workflow, so its runs never overlap. */
    startSync: (directoryId: string): Promise<void> =>
      reach(client, async () => {
        await signalWithStart('directorySync', {
          ...toOptions(names.directorySyncWorkflowId(directoryId), names.syncQueue, [directoryId]),
          signal: signal<typeof wakeSync>(names.wakeSignal),
          args: [{ directoryId }],
        });
      }),

    /** A workflow starts them, so a crash in between skips none. */
    startSyncs: (directoryIds: string[]): Promise<void> =>
      reach(client, async () => {
        await start('bulkSync', {
          ...toOptions(names.bulkSyncWorkflowId(newId()), names.syncQueue),
          args: [directoryIds],
        });
      }),

    /** Returns false if no workflow runs that could receive the signal. */
    cancelSync: (directoryId: string, runId: string): Promise<boolean> =>
      reach(client, async () => {
        try {
          await client.workflow
            .getHandle(names.directorySyncWorkflowId(directoryId))
            .signal(signal<typeof cancel>(names.cancelSyncSignal), runId);
          return true;
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return false;
          throw error;
        }
      }),
  };
}

function reach<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return translateOutages(async () => {
    await assertReachable(client);
    return call();
  });
}

async function translateOutages<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toUnavailableError(error);
  }
}

const ofDelivery = (directoryId: string) => ({
  ...toOptions(names.deliveryWorkflowId(directoryId), names.deliveryQueue, [directoryId]),
  args: [{ directoryId }] as Parameters<typeof workflows.eventDelivery>,
});
