import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { unlimitedBudget } from '../../scim/budget.ts';
import { type Applied, type ApplyToDirectoryDeps, createApplyToDirectory } from '../changes/apply-to-directory.ts';
import { codeOf } from '../changes/mutation.ts';
import type { DirectoryBatchStore, RemovalPlace } from './ports.ts';

export interface RemoveDirectoryDeps extends Omit<ApplyToDirectoryDeps, 'budget'> {
  batches: Pick<DirectoryBatchStore, 'nextRemoval' | 'endRemoval'>;
  /** After a crash it is not repeated for what was applied: the sweep wakes a delivery that was forgotten. */
  onApplied?: ((directoryId: string, applied: Applied) => Promise<void>) | undefined;
  /** Deletes the data of a directory that is hidden. */
  startDeletion(directoryId: string): Promise<void>;
}

/** Others have deleted it. */
const isGone = new Set<unknown>(['not_found', 'directory_deleted']);

/**
 * Deletes a directory that tells of it: its users and groups as the identity provider would delete them, and the directory itself once these events
 * were delivered. What is left is what was not told, so there is no other progress to keep.
 */
export function createRemoveDirectory({ batches, changes, onQuotaReached, onApplied, startDeletion, log }: RemoveDirectoryDeps) {
  const applyToDirectory = createApplyToDirectory({ changes, budget: unlimitedBudget, onQuotaReached, log });

  return async function removeDirectory(directoryId: string, signal: AbortSignal): Promise<'done' | 'wait' | 'interrupted'> {
    let after: RemovalPlace | undefined;
    while (!signal.aborted) {
      const next = await batches.nextRemoval(directoryId, after);
      if (next.kind === 'wait') return 'wait';
      if (next.kind === 'end') {
        if (!(await batches.endRemoval(directoryId))) return 'wait';
        await startDeletion(directoryId);
        return 'done';
      }
      await deleteAll(directoryId, next);
      after = { resource: next.resource, id: next.ids.at(-1)! };
    }
    return 'interrupted';
  };

  async function deleteAll(directoryId: string, { resource, ids }: { resource: 'user' | 'group'; ids: string[] }): Promise<void> {
    const kind = resource === 'user' ? 'deleteUser' : 'deleteGroup';
    const mutations = ids.map((resourceId) => ({ kind, id: newId(), directoryId, resourceId }) as const);
    const applied = await applyToDirectory(directoryId, mutations, { expires: false, reason: 'deletion' });
    await onApplied?.(directoryId, applied);
    const failed = applied.outcomes.find((outcome) => outcome.error && !isGone.has(codeOf(outcome)));
    if (failed) throw new AppError('unavailable', failed.error!.detail);
  }
}
