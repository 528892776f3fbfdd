import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { defaultBudgetLimits, unlimitedBudget } from '../../scim/budget.ts';
import { type Applied, type ApplyToDirectory, type ApplyToDirectoryDeps, createApplyToDirectory } from '../changes/apply-to-directory.ts';
import { codeOf, type Outcome } from '../changes/mutation.ts';
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
 * Deletes a directory that tells of it: its users and groups as the identity provider would delete them, and the directory itself once
 * these events were delivered. What is left is what was not told, so there is no other progress to keep.
 */
export function createRemoveDirectory({ batches, changes, onQuotaReached, onApplied, startDeletion, log }: RemoveDirectoryDeps) {
  const applyTogether = createApplyToDirectory({ changes, budget: defaultBudgetLimits, onQuotaReached, log });
  const applyAlone = createApplyToDirectory({ changes, budget: unlimitedBudget, onQuotaReached, log });

  return async function removeDirectory(directoryId: string, signal: AbortSignal): Promise<'done' | 'wait' | 'interrupted'> {
    let after: RemovalPlace | undefined;
    const failures = new Map<string, string>();
    while (!signal.aborted) {
      const next = await batches.nextRemoval(directoryId, after);
      if (next.kind === 'wait') return 'wait';
      if (next.kind === 'end') {
        if (!(await batches.endRemoval(directoryId))) return 'wait';
        await startDeletion(directoryId);
        return 'done';
      }
      const ids = next.ids.filter((id) => !failures.has(id));
      // Everything else was deleted: the next attempt tries these again.
      if (ids.length === 0) throw new AppError('unavailable', [...failures.values()][0]!);
      for (const [id, detail] of await deleteAll(directoryId, { ...next, ids })) failures.set(id, detail);
      after = { resource: next.resource, id: next.ids.at(-1)! };
    }
    return 'interrupted';
  };

  /** Returns why some could not be deleted. */
  async function deleteAll(directoryId: string, { resource, ids }: Resources): Promise<[id: string, detail: string][]> {
    const outcomes = await apply(applyTogether, directoryId, { resource, ids });
    // One that is too large for the limits of a change is deleted nevertheless, by itself.
    const large = outcomes.filter(isTooLarge);
    for (const { resourceId } of large) outcomes.push(...(await apply(applyAlone, directoryId, { resource, ids: [resourceId] })));
    const failed = outcomes.filter((outcome) => outcome.error && !large.includes(outcome) && !isGone.has(codeOf(outcome)));
    return failed.map(({ resourceId, error }) => [resourceId, error!.detail]);
  }

  async function apply(applyTo: ApplyToDirectory, directoryId: string, { resource, ids }: Resources): Promise<Outcome[]> {
    const kind = resource === 'user' ? 'deleteUser' : 'deleteGroup';
    const mutations = ids.map((resourceId) => ({ kind, id: newId(), directoryId, resourceId }) as const);
    const applied = await applyTo(directoryId, mutations, { expires: false, reason: 'deletion' });
    await onApplied?.(directoryId, applied);
    return [...applied.outcomes];
  }
}

interface Resources {
  resource: 'user' | 'group';
  ids: string[];
}

const isTooLarge = ({ error }: Outcome): boolean => error !== undefined && 'status' in error && error.status === 413;
