import { proxyLocalActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { AppliedRound, MutationResult } from '../src/temporal/head-starts.ts';
import type { Interruptible } from '../activities/stop-with-worker.ts';
import type { Activities } from '../activities/index.ts';
import type { SubmittedMutation } from '../src/directory/ports.ts';

const { applySubmittedMutations, wakeDeliveries } = proxyLocalActivities<Activities>({
  // Retries continue while Postgres is unavailable: no caller has a response yet. There is no `startToCloseTimeout`, because Temporal's core
  // forgets its timer when it retries: the timer would later end another attempt, or panic because the worker has stopped. `interruptible`
  // limits each attempt.
  scheduleToCloseTimeout: '30 days',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '3 seconds' },
});

/** A history has this many events when the first task runs: the workflow was started, and the task was scheduled and started. */
const eventsAtFirstTask = 3;

/** Applies mutations and wakes the deliveries of their directories. Those whose directory was locked are tried again. */
export async function mutationGroup(mutations: SubmittedMutation[]): Promise<MutationResult[]> {
  const results: MutationResult[] = [];
  let waiting = mutations;
  // The history is longer if a worker started the first task and died.
  const isRetry = workflowInfo().historyLength > eventsAtFirstTask;
  let isFirst = !isRetry;
  while (waiting.length > 0) {
    const round: AppliedRound = await untilCompleted(() => {
      const applying = applySubmittedMutations(waiting, { isRetry, isFirst });
      isFirst = false;
      return applying;
    });
    results.push(...round.results);
    if (round.wake.length > 0) await untilCompleted(() => wakeDeliveries(round.wake));
    const applied = new Set(round.results.map(({ mutationId }) => mutationId));
    waiting = waiting.filter(({ id }) => !applied.has(id));
  }
  return results;
}

/** After an interruption by a stopping worker, the timer ends this workflow task, so that the next one goes to another worker. */
async function untilCompleted<Result>(run: () => Promise<Interruptible<Result>>): Promise<Result> {
  for (;;) {
    const attempt = await run();
    if (attempt.kind === 'completed') return attempt.result;
    await sleep('500 milliseconds');
  }
}
