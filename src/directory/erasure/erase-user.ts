import { AppError } from '../../errors.ts';
import { unlimitedBudget } from '../../scim/budget.ts';
import { type Applied, type ApplyToDirectoryDeps, createApplyToDirectory } from '../changes/apply-to-directory.ts';
import { limitConcurrency } from '../../shared/semaphore.ts';
import { codeOf } from '../changes/mutation.ts';
import type { ErasureStore, UserKey } from './ports.ts';

export interface EraseUserDeps extends Omit<ApplyToDirectoryDeps, 'budget'> {
  erasures: Pick<ErasureStore, 'findUndeleted' | 'markDeleted' | 'eraseNextPart'>;
  /** Runs before the deletion is noted, so after a crash it may run again. */
  onApplied?: ((directoryId: string, applied: Applied) => Promise<void>) | undefined;
}

/** Leaves database connections to other work, however many erasures are in progress. */
const maxConcurrentParts = 2;

export type EraseUser = (user: UserKey, signal: AbortSignal) => Promise<'done' | 'wait' | 'interrupted'>;

/**
 * Deletes a user, which emits `user.deleted`, and then erases the data about the user, in parts that each commit their own progress. After a
 * crash at most one part is repeated, which is safe.
 */
export function createEraseUser({ erasures, changes, onQuotaReached, onApplied, log }: EraseUserDeps): EraseUser {
  const applyToDirectory = createApplyToDirectory({ changes, budget: unlimitedBudget, onQuotaReached, log });
  const limited = limitConcurrency(
    { deleteIfNeeded, eraseNextPart: (directoryId: string, userId: string) => erasures.eraseNextPart(directoryId, userId) },
    maxConcurrentParts,
  );

  return async function eraseUser({ directoryId, userId }, signal) {
    if (signal.aborted) return 'interrupted';
    await limited.deleteIfNeeded(directoryId, userId);
    while (!signal.aborted) {
      const progress = await limited.eraseNextPart(directoryId, userId);
      if (progress !== 'more') return progress;
    }
    return 'interrupted';
  };

  async function deleteIfNeeded(directoryId: string, userId: string): Promise<void> {
    const undeleted = await erasures.findUndeleted(directoryId, userId);
    if (undeleted !== undefined) await deleteUser(directoryId, userId, undeleted);
  }

  async function deleteUser(directoryId: string, userId: string, erasureId: string): Promise<void> {
    const mutation = { kind: 'deleteUser', id: erasureId, directoryId, resourceId: userId } as const;
    const applied = await applyToDirectory(directoryId, [mutation], { expires: false, reason: 'erasure' });
    const [outcome] = applied.outcomes;
    const code = outcome && codeOf(outcome);
    // The deletion of the directory deletes everything.
    if (code === 'directory_deleted') return;
    if (!outcome || (outcome.error && code !== 'not_found'))
      throw new AppError('unavailable', outcome?.error?.detail ?? 'Nothing was applied.');
    await onApplied?.(directoryId, applied);
    const emitted = outcome.emitted?.count ?? 0;
    await erasures.markDeleted(directoryId, userId, outcome.error ? {} : { users: 1, memberships: Math.max(0, emitted - 1) });
  }
}
