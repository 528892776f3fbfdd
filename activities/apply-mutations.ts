import { ApplicationFailure } from '@temporalio/common';
import { createApplyIsolating } from '../src/directory/apply-isolating.ts';
import type { SequenceWatch } from '../src/directory/delivery/ports.ts';
import { groupByDirectory } from '../src/directory/group-by-directory.ts';
import type { Mutation, Outcome } from '../src/directory/mutation.ts';
import type { ChangeStore, HandedIn, StagedMutationStore } from '../src/directory/ports.ts';
import { madeAtMs } from '../src/ids.ts';
import type { Logger } from '../src/logger.ts';
import type { BudgetLimits } from '../src/scim/budget.ts';
import type { Handover } from '../src/temporal/handover.ts';
import { toFailure } from './failures.ts';

export interface ApplyMutationsDeps {
  changes: ChangeStore;
  /** What one mutation may cost. */
  mutationLimits?: BudgetLimits | undefined;
  staged: StagedMutationStore;
  handover: Handover;
  watch: Pick<SequenceWatch, 'hint'>;
  metrics: { quotaReached(quota: string): void };
  log: Logger;
}

export interface AppliedRound {
  outcomes: Outcome[];
  /** Directories whose delivery must be woken. */
  wake: string[];
}

/** Outcomes are kept for three days, and with them what keeps a mutation from being applied again. */
const maxAgeMs = 2 * 86_400_000;

/** One transaction per directory. What could not be applied now lacks in the outcomes, unless nothing could: that is a failure. */
export const createApplyMutations = ({ changes, mutationLimits, staged, handover, watch, metrics, log }: ApplyMutationsDeps) => {
  const applyIsolating = createApplyIsolating({ changes, budget: mutationLimits, onQuotaReached: metrics.quotaReached, log });
  return async function applyMutationsOnce(handedIn: HandedIn[]): Promise<AppliedRound> {
    assertRecent(handedIn);
    const round: AppliedRound = { outcomes: [], wake: [] };
    let failure: unknown;
    await Promise.all(
      [...groupByDirectory(await unstage(handedIn))].map(async ([directoryId, group]) => {
        try {
          const { outcomes, wake } = await applyIsolating(directoryId, group);
          handover.offer(outcomes);
          watch.hint(directoryId);
          round.outcomes.push(...outcomes);
          if (wake) round.wake.push(directoryId);
        } catch (error) {
          failure = error;
        }
      }),
    );
    if (round.outcomes.length === 0) throw toFailure(failure, log);
    await dropStaged(handedIn, round.outcomes);
    return round;
  };

  /** What it says is no longer needed; should it be tried all the same, its outcome is known. */
  async function dropStaged(handedIn: HandedIn[], outcomes: Outcome[]): Promise<void> {
    const applied = new Set(outcomes.map(({ mutationId }) => mutationId));
    for (const given of handedIn) {
      if (given.kind !== 'staged' || !applied.has(given.id)) continue;
      await staged.drop(given).catch((error: Error) => log.warn({ error: error.message }, 'a staged mutation is left to the sweep'));
    }
  }

  async function unstage(handedIn: HandedIn[]): Promise<Mutation[]> {
    try {
      return await Promise.all(handedIn.map(async (given) => (given.kind === 'staged' ? staged.fetch(given) : given)));
    } catch (error) {
      throw toFailure(error, log);
    }
  }
};

/** Nobody waits for such a mutation. It may be an old input that somebody starts again now that its outcome is forgotten. */
function assertRecent(handedIn: HandedIn[]): void {
  if (handedIn.some(({ id }) => madeAtMs(id) < Date.now() - maxAgeMs))
    throw ApplicationFailure.nonRetryable('The mutation is more than two days old; it is not applied.', 'expired');
}
