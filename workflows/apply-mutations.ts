import { proxyLocalActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { OutcomeOrReference } from '../src/directory/mutation.ts';
import type { HandedIn } from '../src/directory/ports.ts';

const { applyMutations: apply, wakeDeliveries } = proxyLocalActivities<Activities>({
  // Longer than any statement may take. The tries go on while Postgres is away; nobody was told that the change is made.
  startToCloseTimeout: '40 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '3 seconds' },
});

/** The events of a history until a workflow's first task runs: it was started, and the task was scheduled and begun. */
const eventsAtFirst = 3;

/** Applies mutations and wakes the deliveries they concern. One whose directory was held by somebody else is tried again. */
export async function applyMutations(mutations: HandedIn[]): Promise<OutcomeOrReference[]> {
  const outcomes: OutcomeOrReference[] = [];
  let waiting = mutations;
  // A worker that had begun the first task was not heard of again.
  const isRetry = workflowInfo().historyLength > eventsAtFirst;
  while (waiting.length > 0) {
    const round = await untilDone(() => apply(waiting, { isRetry }));
    outcomes.push(...round.outcomes);
    if (round.wake.length > 0) await untilDone(() => wakeDeliveries(round.wake));
    const settled = new Set(round.outcomes.map(({ mutationId }) => mutationId));
    waiting = waiting.filter(({ id }) => !settled.has(id));
  }
  return outcomes;
}

/** Whose worker stopped meanwhile goes on at another one: the wait ends this task, and with it the hold of that worker. */
async function untilDone<Result>(run: () => Promise<Result | 'interrupted'>): Promise<Result> {
  for (;;) {
    const result = await run();
    if (result !== 'interrupted') return result;
    await sleep('500 milliseconds');
  }
}
