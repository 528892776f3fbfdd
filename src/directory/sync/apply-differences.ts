import { AppError } from '../../errors.ts';
import { unlimitedBudget } from '../../scim/budget.ts';
import { applyInTransaction, type Applied } from '../changes/apply-in-transaction.ts';
import type { ChangeStore } from '../ports.ts';
import { isBacklogFull } from '../quotas.ts';
import type { SyncStore } from './ports.ts';
import type { SyncPosition } from './run.ts';
import type { StepRun } from './stage.ts';
import { toBulk } from './to-bulk.ts';

export interface ApplyDifferencesDeps {
  store: SyncStore;
  changes: ChangeStore;
  /** Runs before a batch is counted as applied, so after a crash it may run again. The next batch waits for it. */
  onApplied?: ((directoryId: string, applied: Applied) => Promise<void>) | undefined;
}

/** A change that failed may succeed later: another user may have had its name until then. */
const maxPasses = 3;

/** Applies the differences in batches, as pushed requests would be. Each batch is one mutation, and is applied once. */
export async function applyDifferences(
  { store, changes, onApplied }: ApplyDifferencesDeps,
  directoryId: string,
  runId: string,
  { beat, signal, budgetMs, now = Date.now }: StepRun,
): Promise<SyncPosition | 'ended'> {
  const until = now() + budgetMs;
  const here: SyncPosition = { phase: 'applying' };
  let hasApplied = false;
  while (now() < until && !signal.aborted) {
    const next = await store.nextChanges(directoryId, runId);
    // The next step finds out why.
    if (next === 'stopped') return here;
    if (next.changes.length === 0) {
      if (next.failed > 0 && next.pass < maxPasses) {
        if ((await store.plan(directoryId, runId, next.pass + 1)) === 'stopped') return 'ended';
        continue;
      }
      await store.end(directoryId, runId, { state: 'succeeded' });
      return 'ended';
    }
    const { bulk, read } = toBulk({ directoryId, runId, ...next });
    const applied = await applyInTransaction(changes, directoryId, [bulk], unlimitedBudget, { expires: false });
    const { outcomes } = applied;
    // Nothing was stored, and the same batch is tried again once there is room. Delays grow only while nothing is applied.
    if (isBacklogFull(outcomes[0]?.error)) {
      if (hasApplied) return here;
      throw new AppError('unavailable', outcomes[0].error.detail);
    }
    hasApplied = true;
    await onApplied?.(directoryId, applied);
    await store.conclude(directoryId, runId, read(outcomes[0]!));
    beat(here);
  }
  return here;
}
