import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { Outcome } from '../src/directory/mutation.ts';
import type { HandedIn } from '../src/directory/ports.ts';

const { applyMutations: apply, wakeDeliveries } = proxyLocalActivities<Activities>({
  // Longer than any statement may take. The tries go on while Postgres is away; nobody was told that the change is made.
  startToCloseTimeout: '40 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '3 seconds' },
});

/** Applies mutations and wakes the deliveries they concern. One whose directory was held by somebody else is tried again. */
export async function applyMutations(mutations: HandedIn[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let waiting = mutations;
  while (waiting.length > 0) {
    const round = await apply(waiting);
    outcomes.push(...round.outcomes);
    if (round.wake.length > 0) await wakeDeliveries(round.wake);
    const settled = new Set(round.outcomes.map(({ mutationId }) => mutationId));
    waiting = waiting.filter(({ id }) => !settled.has(id));
  }
  return outcomes;
}
