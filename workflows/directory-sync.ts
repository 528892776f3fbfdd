import {
  ActivityCancellationType,
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  log,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { SyncPosition } from '../src/directory/sync/sync-run.ts';
import { noProgressTimeoutMs, runQueuedSyncs, type RunInProgress, type StepResult } from '../src/directory/sync/run-queued-syncs.ts';
import { cancelSyncSignal, renewSignal, wakeSignal } from '../src/temporal/names.ts';
import { retryUpTo } from '../src/temporal/timeouts.ts';
import { proxyWithHeartbeats } from './proxy-with-heartbeats.ts';

interface DirectorySyncInput {
  directoryId: string;
  /** The run in progress when this workflow continued as new. */
  resumed?: RunInProgress;
}

const { executeSyncStep } = proxyWithHeartbeats({
  startToCloseTimeout: '10 minutes',
  scheduleToCloseTimeout: noProgressTimeoutMs,
  // Only for dead workers: a failed step returns a result, and the state machine decides when to retry.
  retry: retryUpTo(300_000),
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
const { beginSync, endSync } = proxyWithHeartbeats({
  startToCloseTimeout: '1 minute',
  retry: retryUpTo(30_000),
});
const { clearSyncs } = proxyWithHeartbeats({
  startToCloseTimeout: '10 minutes',
  retry: { ...retryUpTo(30_000), maximumAttempts: 5 },
});

export const wake = defineSignal(wakeSignal);
export const cancel = defineSignal<[runId: string], typeof cancelSyncSignal>(cancelSyncSignal);
const renew = defineSignal(renewSignal);
const stepsPerHistory = 100;

/** Executes the queued syncs of a directory one after the other. Their data is in Postgres; the workflow holds only their progress. */
export async function directorySync({ directoryId, resumed }: DirectorySyncInput): Promise<void> {
  const { firstExecutionRunId: workflowRun } = workflowInfo();
  let isWoken = true;
  let isRenewing = false;
  let steps = 0;
  let stepping: { runId: string; scope: CancellationScope } | undefined;
  /** A cancellation may arrive before the run begins, or after its last step. */
  const canceled = new Set<string>();
  setHandler(wake, () => void (isWoken = true));
  setHandler(renew, () => void (isRenewing = true));
  setHandler(cancel, (runId) => {
    canceled.add(runId);
    if (stepping?.runId === runId) stepping.scope.cancel();
  });

  for (let run = resumed; isWoken || run; run = undefined) {
    isWoken = false;
    const left = await runQueuedSyncs(
      {
        begin: () => beginSync({ directoryId, workflowRun }),
        step,
        end: (runId, end) => endSync({ directoryId, runId, end }),
        clear: () => clearSyncs(directoryId).catch((error: unknown) => log.warn('staged rows are left to the next sync', { error })),
        wait: async (runId, delayMs) => void (await condition(() => canceled.has(runId) || isRenewing, delayMs)),
        isCanceled: (runId) => canceled.has(runId),
        mustLeave: () => steps >= stepsPerHistory || workflowInfo().continueAsNewSuggested || isRenewing,
        now: Date.now,
      },
      run,
    );
    if (left) await continueAsNew<typeof directorySync>({ directoryId, resumed: left });
  }

  async function step(runId: string, position: SyncPosition): Promise<StepResult> {
    steps += 1;
    stepping = { runId, scope: new CancellationScope() };
    try {
      return await stepping.scope.run(() => executeSyncStep({ directoryId, runId, position }));
    } catch (error) {
      if (isCancellation(error) && canceled.has(runId)) return { kind: 'advanced', position };
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
      return { kind: 'timed_out', message: error.cause?.message ?? 'It did not end in time.' };
    } finally {
      stepping = undefined;
    }
  }
}

const { startDirectorySyncs, requestScheduledSync } = proxyWithHeartbeats({
  startToCloseTimeout: '5 minutes',
  retry: { ...retryUpTo(30_000), maximumAttempts: 10 },
});

/** Starts the queued syncs of many directories, each in its own workflow. */
export async function bulkSync(directoryIds: string[]): Promise<void> {
  await startDirectorySyncs(directoryIds);
}

/**
 * Started by a directory's schedule. A schedule appends the time to the ID of the workflow it starts, so it can't start `directorySync`
 * itself, of which each directory has one.
 */
export async function scheduledSync(directoryId: string): Promise<void> {
  await requestScheduledSync(directoryId);
}
