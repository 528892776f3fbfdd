import { AppError } from '../../errors.ts';
import { unlimitedBudget } from '../../scim/budget.ts';
import { applyMutations, type Applied } from '../apply-mutations.ts';
import type { ChangeStore, WakeDelivery } from '../ports.ts';
import { isBacklogFull } from '../quotas.ts';
import type { SyncStore } from './ports.ts';
import type { SyncPosition } from './run.ts';
import type { StepRun } from './stage.ts';
import { toBulk } from './to-bulk.ts';

export interface ApplyDifferencesDeps {
  store: SyncStore;
  changes: ChangeStore;
  watch: { hint(directoryId: string): void };
  wakeDelivery: WakeDelivery;
  /** Waited for: whoever listens is not to be overrun. */
  tell?: ((directoryId: string, applied: Applied) => Promise<void>) | undefined;
}

/** What was refused may have had to wait for something else: a name that another user still had. */
const maxPasses = 3;

/** Makes the differences, some at a time, as a provider's own requests would. Each lot is one mutation, and is made once. */
export async function applyDifferences(
  { store, changes, watch, wakeDelivery, tell }: ApplyDifferencesDeps,
  directoryId: string,
  runId: string,
  { beat, signal, budgetMs, now = Date.now }: StepRun,
): Promise<SyncPosition | 'ended'> {
  const until = now() + budgetMs;
  const here: SyncPosition = { phase: 'applying' };
  let hasApplied = false;
  while (now() < until && !signal.aborted) {
    const next = await store.nextChanges(directoryId, runId);
    // Why, the next step finds out.
    if (next === 'stopped') return here;
    if (next.changes.length === 0) {
      if (next.refused > 0 && next.pass < maxPasses) {
        if ((await store.plan(directoryId, runId, next.pass + 1)) === 'stopped') return 'ended';
        continue;
      }
      await store.end(directoryId, runId, { state: 'succeeded' });
      return 'ended';
    }
    const { bulk, read } = toBulk({ directoryId, runId, ...next });
    const applied = await applyMutations(changes, directoryId, [bulk], unlimitedBudget, { expires: false });
    const { outcomes, wake } = applied;
    // It was not kept: the same lot is tried again once there is room. Waits grow only while nothing is applied.
    if (isBacklogFull(outcomes[0]?.refusal)) {
      if (hasApplied) return here;
      throw new AppError('unavailable', outcomes[0].refusal.detail);
    }
    hasApplied = true;
    watch.hint(directoryId);
    // Before it is counted: should we die in between, it is done again, and wakes again.
    if (wake) await wakeDelivery(directoryId);
    await tell?.(directoryId, applied);
    await store.conclude(directoryId, runId, read(outcomes[0]!));
    beat(here);
  }
  return here;
}
