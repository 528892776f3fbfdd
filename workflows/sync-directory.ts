import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { SyncEnd, SyncPosition } from '../src/directory/sync/run.ts';
import { cancelSyncSignal, renewSignal, wakeSignal } from '../src/temporal/names.ts';
import { heartbeatTimeoutMs, retryUpTo } from '../src/temporal/timeouts.ts';

export interface SyncDirectoryInput {
  directoryId: string;
  /** A run that is under way, and where it goes on. */
  under?: { runId: string; position: SyncPosition };
}

const { takeSyncStep } = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  // How long a provider may be away or ask for patience before a person is told.
  scheduleToCloseTimeout: '2 hours',
  retry: retryUpTo(300_000),
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
const { beginSync, endSync } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: retryUpTo(30_000),
});
const { clearSyncs } = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: { ...retryUpTo(30_000), maximumAttempts: 5 },
});

const wake = defineSignal(wakeSignal);
const cancel = defineSignal<[runId: string]>(cancelSyncSignal);
const renew = defineSignal(renewSignal);
const stepsPerHistory = 100;

/** Takes up the runs that were asked for of one directory, one after the other. What they read stands in Postgres; here is only how far they are. */
export async function syncDirectory({ directoryId, under }: SyncDirectoryInput): Promise<void> {
  const { firstExecutionRunId: workflowRun } = workflowInfo();
  let woken = true;
  let current: { runId: string; scope: CancellationScope } | undefined;
  setHandler(wake, () => void (woken = true));
  // It may be heard before the run is known here, or after its last step.
  const canceled = new Set<string>();
  setHandler(cancel, (runId) => {
    canceled.add(runId);
    if (current?.runId === runId) current.scope.cancel();
  });
  let isRenewing = false;
  setHandler(renew, () => void (isRenewing = true));
  let steps = 0;
  let next = under;
  while (woken || next) {
    woken = false;
    const runId = next?.runId ?? (await beginSync({ directoryId, workflowRun }));
    if (runId === undefined) continue;
    steps += 1;
    current = { runId, scope: new CancellationScope() };
    if (canceled.has(runId)) current.scope.cancel();
    const advanced = await current.scope.run(() => advance(runId, next?.position ?? { phase: 'users' })).catch((error) => toEnd(error));
    const reached = advanced !== 'ended' && canceled.has(runId) ? canceledEnd : advanced;
    current = undefined;
    next = undefined;
    if (reached !== 'ended' && 'phase' in reached)
      await continueAsNew<typeof syncDirectory>({ directoryId, under: { runId, position: reached } });
    if (reached !== 'ended' && 'state' in reached) await endSync({ directoryId, runId, end: reached });
    await clearSyncs(directoryId).catch(() => undefined);
    // Somebody may have asked for another one while it was told to wait for this one.
    woken = true;
  }

  /** Until the run has ended, or the history is long enough. */
  async function advance(runId: string, from: SyncPosition): Promise<SyncPosition | 'ended'> {
    let position = from;
    for (;;) {
      const reached = await takeSyncStep({ directoryId, runId, position });
      if (reached === 'ended') return 'ended';
      position = reached;
      steps += 1;
      if (steps >= stepsPerHistory || workflowInfo().continueAsNewSuggested || isRenewing) return position;
    }
  }
}

const canceledEnd: SyncEnd = {
  state: 'canceled',
  error: { code: 'canceled', message: 'It was canceled. What it had changed by then stays changed.' },
};

function toEnd(error: unknown): SyncEnd {
  if (isCancellation(error)) return canceledEnd;
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const isProviders = cause instanceof ApplicationFailure && (cause.type === 'busy' || cause.type === 'unreachable');
  const message = cause?.message ?? 'It did not come to an end in time.';
  return { state: 'failed', error: { code: isProviders ? 'provider_unavailable' : 'internal', message } };
}
