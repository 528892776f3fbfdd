import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Applied,
  type ApplyToDirectoryDeps,
  createApplyToDirectory,
  groupByDirectory,
} from '../directory/changes/apply-to-directory.ts';
import type { CommitMutations } from '../directory/intake/intake.ts';
import type { Mutation } from '../directory/changes/mutation.ts';
import { AppError } from '../errors.ts';

interface DirectCommitMutationsDeps extends ApplyToDirectoryDeps {
  /** How long to retry while the database is unavailable. */
  timeoutMs: number;
  /** Called after each commit, to wake deliveries. */
  onApplied?: ((directoryId: string, applied: Applied) => void) | undefined;
}

/**
 * Commits mutations in this process, in one transaction for each directory. A retry is safe: if the response to a commit was lost, the
 * outcome is found by the mutation's ID. Starts are not counted: a mutation that kills this process is not started again.
 */
export function createDirectCommitMutations({
  changes,
  budget,
  onQuotaReached,
  timeoutMs,
  onApplied,
  log,
}: DirectCommitMutationsDeps): CommitMutations {
  const applyToDirectory = createApplyToDirectory({ changes, budget, onQuotaReached, log });

  return async function commitMutations(mutations, settle) {
    const deadlineMs = performance.now() + timeoutMs;
    const settled = await Promise.allSettled(
      [...groupByDirectory(mutations)].map(async ([directoryId, own]) => {
        const applied = await applyWithRetries(directoryId, own, deadlineMs);
        const { outcomes, emitted } = applied;
        onApplied?.(directoryId, applied);
        for (const outcome of outcomes) settle(outcome, emitted);
      }),
    );
    const failed = settled.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };

  async function applyWithRetries(directoryId: string, mutations: Mutation[], deadlineMs: number): Promise<Applied> {
    for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 1_000)) {
      try {
        return await applyToDirectory(directoryId, mutations);
      } catch (error) {
        const isTemporary = error instanceof AppError && error.code === 'unavailable';
        if (!isTemporary || performance.now() + waitMs > deadlineMs) throw error;
        await sleep(waitMs);
      }
    }
  }
}
