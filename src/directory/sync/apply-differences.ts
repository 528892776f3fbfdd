import { AppError } from '../../errors.ts';
import { unlimitedBudget } from '../../scim/budget.ts';
import type { Applied } from '../changes/apply-in-transaction.ts';
import { createApplyToDirectory, type ApplyToDirectoryDeps } from '../changes/apply-to-directory.ts';
import { isBacklogFull } from '../quotas.ts';
import type { SyncStore } from './ports.ts';
import type { SyncPosition } from './run.ts';
import type { StepRun } from './stage.ts';
import { toBulk } from './to-bulk.ts';

export interface ApplyDifferencesDeps extends Omit<ApplyToDirectoryDeps, 'budget'> {
  store: SyncStore;
  /** Runs before a batch is counted as applied, so after a crash it may run again. The next batch waits for it. */
  onApplied?: ((directoryId: string, applied: Applied) => Promise<void>) | undefined;
}

/** A change that failed may succeed later: another user may have had its name until then. */
const maxPasses = 3;

/** Applies the differences in batches, as pushed requests would be. Each batch is one mutation, and is applied once. */
export async function applyDifferences(
  { store, changes, onQuotaReached, onApplied, log }: ApplyDifferencesDeps,
  directoryId: string,
  runId: string,
  { beat, signal, budgetMs, now = Date.now }: StepRun,
): Promise<SyncPosition | 'ended'> {
  const applyToDirectory = createApplyToDirectory({ changes, budget: unlimitedBudget, onQuotaReached, log });
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
    const applied = await applyToDirectory(directoryId, [bulk], { expires: false });
    const outcome = applied.outcomes[0]!;
    // Nothing was stored. The step fails, so that the same batch is tried again.
    if (outcome.error?.status === 500 && !outcome.results) throw new AppError('internal', outcome.error.detail);
    // Nothing was stored, and the same batch is tried again once there is room. Delays grow only while nothing is applied.
    if (isBacklogFull(outcome.error)) {
      if (hasApplied) return here;
      throw new AppError('unavailable', outcome.error.detail);
    }
    hasApplied = true;
    await onApplied?.(directoryId, applied);
    await store.conclude(directoryId, runId, read(outcome));
    beat(here);
  }
  return here;
}
