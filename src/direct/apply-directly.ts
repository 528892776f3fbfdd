import { setTimeout as sleep } from 'node:timers/promises';
import { createApplyIsolating } from '../directory/apply-isolating.ts';
import { groupByDirectory } from '../directory/group-by-directory.ts';
import type { ApplyGroup } from '../directory/intake.ts';
import type { Mutation, Outcome } from '../directory/mutation.ts';
import type { ChangeStore } from '../directory/ports.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../logger.ts';

export interface ApplyDirectlyDeps {
  changes: ChangeStore;
  /** How long an absent database is waited for. */
  patienceMs: number;
  log: Logger;
}

/**
 * Applies mutations here and now, one transaction for each directory. What was committed though the answer got lost is found again by
 * its id, so it may be tried again as long as somebody waits.
 */
export function createApplyDirectly({ changes, patienceMs, log }: ApplyDirectlyDeps): ApplyGroup {
  const applyIsolating = createApplyIsolating({ changes, log });

  return async function applyDirectly(mutations, settle) {
    const until = performance.now() + patienceMs;
    const settled = await Promise.allSettled(
      [...groupByDirectory(mutations)].map(async ([directoryId, group]) => {
        for (const outcome of await applyPatiently(directoryId, group, until)) settle(outcome);
      }),
    );
    const failed = settled.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };

  async function applyPatiently(directoryId: string, group: Mutation[], until: number): Promise<Outcome[]> {
    for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 1_000)) {
      try {
        return (await applyIsolating(directoryId, group)).outcomes;
      } catch (error) {
        const mayPass = error instanceof AppError && error.code === 'unavailable';
        if (!mayPass || performance.now() + waitMs > until) throw error;
        await sleep(waitMs);
      }
    }
  }
}
