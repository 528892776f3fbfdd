import { setTimeout as sleep } from 'node:timers/promises';
import { createApplyIsolating, type ApplyIsolatingDeps } from '../directory/apply-isolating.ts';
import type { Applied } from '../directory/apply-mutations.ts';
import { groupByDirectory } from '../directory/group-by-directory.ts';
import type { ApplyGroup } from '../directory/intake.ts';
import type { Mutation } from '../directory/mutation.ts';
import { AppError } from '../errors.ts';

export interface ApplyDirectlyDeps extends ApplyIsolatingDeps {
  /** How long an absent database is waited for. */
  patienceMs: number;
}

/**
 * Applies mutations here and now, one transaction for each directory. What was committed though the answer got lost is found again by
 * its id, so it may be tried again as long as somebody waits.
 */
export function createApplyDirectly({ changes, budget, onQuotaReached, patienceMs, log }: ApplyDirectlyDeps): ApplyGroup {
  const applyIsolating = createApplyIsolating({ changes, budget, onQuotaReached, log });

  return async function applyDirectly(mutations, settle) {
    const until = performance.now() + patienceMs;
    const settled = await Promise.allSettled(
      [...groupByDirectory(mutations)].map(async ([directoryId, group]) => {
        const { outcomes, told } = await applyPatiently(directoryId, group, until);
        for (const outcome of outcomes) settle(outcome, told);
      }),
    );
    const failed = settled.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };

  async function applyPatiently(directoryId: string, group: Mutation[], until: number): Promise<Applied> {
    for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 1_000)) {
      try {
        return await applyIsolating(directoryId, group);
      } catch (error) {
        const mayPass = error instanceof AppError && error.code === 'unavailable';
        if (!mayPass || performance.now() + waitMs > until) throw error;
        await sleep(waitMs);
      }
    }
  }
}
