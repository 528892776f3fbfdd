import { ApplicationFailure } from '@temporalio/common';
import {
  type Applied,
  type ApplyOptions,
  createApplyToDirectory,
  createApplyTogether,
  groupByDirectory,
  leftOf,
} from '../src/directory/changes/apply-to-directory.ts';
import type { SequenceWatch } from '../src/directory/delivery/ports.ts';
import type { Mutation, Outcome } from '../src/directory/changes/mutation.ts';
import type { ChangeStore, SubmittedMutation, StagedMutationStore } from '../src/directory/ports.ts';
import { createRetryMutation, type RetryMutationDeps } from '../src/directory/intake/retry-mutation.ts';
import { largeMutationBytes } from '../src/directory/intake/waiting-mutations.ts';
import { StatementTimeoutError } from '../src/errors.ts';
import { createdAtMs } from '../src/ids.ts';
import { toLoggableMessage } from '../src/shared/loggable-message.ts';
import type { Logger } from '../src/logger.ts';
import type { BudgetLimits } from '../src/scim/budget.ts';
import type { AppliedRound, HeadStarts, MutationResult } from '../src/temporal/head-starts.ts';
import type { OutcomeWaiters } from '../src/temporal/outcome-waiters.ts';
import { createOneAtATime } from '../src/shared/semaphore.ts';

export interface ApplySubmittedMutationsDeps extends Pick<RetryMutationDeps, 'starts' | 'wakeOperatorSoon'> {
  changes: ChangeStore;
  /** What one mutation may cost. */
  mutationLimits?: BudgetLimits | undefined;
  staged: StagedMutationStore;
  waiters: OutcomeWaiters;
  headStarts: HeadStarts;
  watch: Pick<SequenceWatch, 'hint'>;
  metrics: { quotaReached(quota: string): void };
  log: Logger;
}

export interface StartOptions {
  isRetry?: boolean;
  /** A head start may have begun. */
  isFirst?: boolean;
}

/** Only a head start has `accepted`. */
type ApplyRoundOptions = Pick<StartOptions, 'isRetry'> & Pick<ApplyOptions, 'accepted'>;

/** Outcomes are kept for three days. Without its outcome, a mutation could be applied twice. */
const maxAgeMs = 2 * 86_400_000;

/** The most results of a Bulk that are kept in workflow history. */
const maxBulkResults = 8;

/** If a large mutation takes longer, because the database is slow, the next one starts. */
const largeHoldMs = 10_000;

/**
 * Applies mutations: those of several directories together, and what was left out in one transaction for each directory. The results lack
 * those that could not be applied now. If none could, it fails.
 *
 * Postgres counts each start before the mutations are fetched, read or decided. `isRetry` means that a worker died with these mutations.
 * Then, or if Postgres knows an earlier start, they are applied one by one. So are mutations of a directory whose statement took too long.
 */
export const createApplySubmittedMutations = (deps: ApplySubmittedMutationsDeps) => {
  const { changes, mutationLimits, staged, starts, waiters, headStarts, watch, metrics, log } = deps;
  const applying = { changes, budget: mutationLimits, onQuotaReached: metrics.quotaReached, log };
  const applyToDirectory = createApplyToDirectory(applying);
  const applyTogether = createApplyTogether(applying);
  const retryMutation = createRetryMutation({ ...deps, applyToDirectory });
  const oneAtATime = createOneAtATime(largeHoldMs);

  headStarts.onBegin((submitted, accepted) => applySubmitted(submitted, { accepted }));
  return async (submitted: SubmittedMutation[], options: StartOptions = {}): Promise<AppliedRound> =>
    (options.isFirst ? headStarts.take(submitted) : undefined) ?? applySubmitted(submitted, options);

  /** Large mutations run one at a time: each takes tens of megabytes of memory. */
  function applySubmitted(submitted: SubmittedMutation[], options: ApplyRoundOptions): Promise<AppliedRound> {
    const apply = () => applyRound(submitted, options);
    return submitted.some((mutation) => mutation.kind === 'staged' && mutation.bytes > largeMutationBytes) ? oneAtATime(apply) : apply();
  }

  async function applyRound(submitted: SubmittedMutation[], { isRetry = false, accepted }: ApplyRoundOptions): Promise<AppliedRound> {
    assertRecent(submitted);
    const round: AppliedRound = { results: [], wake: [] };
    const first = isRetry ? undefined : await starts.beginFirst(submitted, { isNew: accepted !== undefined });
    const failure = first ? await applyByDirectory().finally(first.end) : await applyEach();
    if (round.results.length === 0) throw failure;
    await dropStaged(submitted, round.results);
    return round;

    async function applyByDirectory(): Promise<unknown> {
      const byDirectory = groupByDirectory(submitted);
      const small = [...byDirectory].filter(hasNoStaged);
      const together = small.length > 1 ? applyTogether(new Map(small), { accepted }) : undefined;
      return inParallel([...byDirectory], async ([directoryId, mutations]) => {
        try {
          const applied = hasNoStaged([directoryId, mutations]) ? (await together)?.get(directoryId) : undefined;
          if (applied) settle(directoryId, applied);
          const left = applied ? leftOf(mutations, applied) : mutations;
          if (left.length > 0) settle(directoryId, await applyToDirectory(directoryId, await unstage(left), { accepted }));
        } catch (error) {
          if (error instanceof StatementTimeoutError) await starts.countTimeouts(mutations);
          throw error;
        }
      });
    }

    /** Within a directory, a mutation that can't be applied holds up those after it. */
    function applyEach(): Promise<unknown> {
      return inParallel([...groupByDirectory(submitted)], async ([directoryId, mutations]) => {
        for (const mutation of mutations) settle(directoryId, await retryMutation(mutation));
      });
    }

    function settle(directoryId: string, { outcomes, wake }: Applied) {
      waiters.settle(outcomes);
      watch.hint(directoryId);
      round.results.push(...outcomes.map((outcome) => toResult(directoryId, outcome)));
      if (wake && !round.wake.includes(directoryId)) round.wake.push(directoryId);
    }
  }

  /** If one of them is tried again all the same, its outcome is known. */
  async function dropStaged(submitted: SubmittedMutation[], results: MutationResult[]): Promise<void> {
    const applied = new Set(results.map(({ mutationId }) => mutationId));
    for (const mutation of submitted) {
      if (mutation.kind !== 'staged' || !applied.has(mutation.id)) continue;
      await staged
        .delete(mutation)
        .catch((error: Error) => log.warn({ error: toLoggableMessage(error) }, 'a staged mutation is left to the sweep'));
    }
  }

  function unstage(submitted: SubmittedMutation[]): Promise<Mutation[]> {
    return Promise.all(submitted.map(async (mutation) => (mutation.kind === 'staged' ? staged.fetch(mutation) : mutation)));
  }
};

function toResult(directoryId: string, outcome: Outcome): MutationResult {
  const { mutationId, results = [] } = outcome;
  return results.length > maxBulkResults ? { kind: 'stored', mutationId, directoryId } : { kind: 'outcome', ...withoutPeople(outcome) };
}

const hasNoStaged = (entry: [string, SubmittedMutation[]]): entry is [string, Mutation[]] =>
  entry[1].every(({ kind }) => kind !== 'staged');

/** They are for a request that waits in this process: workflow history contains no personal data. */
function withoutPeople(outcome: Outcome): Outcome {
  const result = { ...outcome };
  delete result.user;
  delete result.moved;
  return result;
}

/** No caller waits for an older mutation. Its outcome may be forgotten, so the same input may have been started a second time. */
function assertRecent(submitted: SubmittedMutation[]): void {
  if (submitted.some(({ id }) => createdAtMs(id) < Date.now() - maxAgeMs))
    throw ApplicationFailure.nonRetryable('The mutation is more than two days old; it is not applied.', 'expired');
}

/** Returns one of the failures, if there are any. */
async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<unknown> {
  const settled = await Promise.allSettled(items.map(work));
  return settled.find((result) => result.status === 'rejected')?.reason;
}
