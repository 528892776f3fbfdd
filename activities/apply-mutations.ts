import { ApplicationFailure } from '@temporalio/common';
import { createApplyIsolating } from '../src/directory/apply-isolating.ts';
import type { Applied } from '../src/directory/apply-mutations.ts';
import type { SequenceWatch } from '../src/directory/delivery/ports.ts';
import { groupByDirectory } from '../src/directory/group-by-directory.ts';
import type { Mutation, Outcome, OutcomeOrReference } from '../src/directory/mutation.ts';
import type { ChangeStore, HandedIn, StagedMutationStore } from '../src/directory/ports.ts';
import { createOneAtATime } from '../src/directory/one-at-a-time.ts';
import { createRetryMutation, type RetryMutationDeps } from '../src/directory/retry-mutation.ts';
import { largeMutationBytes } from '../src/directory/waiting-mutations.ts';
import { madeAtMs } from '../src/ids.ts';
import { toLoggableMessage } from '../src/shared/loggable-message.ts';
import type { Logger } from '../src/logger.ts';
import type { BudgetLimits } from '../src/scim/budget.ts';
import type { OutcomeWaiters } from '../src/temporal/outcome-waiters.ts';
import { toFailure } from './failures.ts';

export interface ApplyMutationsDeps extends Omit<RetryMutationDeps, 'applyIsolating'> {
  changes: ChangeStore;
  /** What one mutation may cost. */
  mutationLimits?: BudgetLimits | undefined;
  staged: StagedMutationStore;
  waiters: OutcomeWaiters;
  watch: Pick<SequenceWatch, 'hint'>;
  metrics: { quotaReached(quota: string): void };
  log: Logger;
}

export interface AppliedRound {
  outcomes: OutcomeOrReference[];
  /** Directories whose delivery must be woken. */
  wake: string[];
}

/** Outcomes are kept for three days, and with them what keeps a mutation from being applied again. */
const maxAgeMs = 2 * 86_400_000;

/** Of a Bulk, in workflow history. */
const mostResults = 8;

/** A large mutation that takes longer, for the database is slow, lets the next one begin. */
const largeHoldMs = 10_000;

/**
 * One transaction per directory. What could not be applied now lacks in the outcomes, unless nothing could: that is a failure.
 *
 * A start is counted in Postgres before it is made, but for the first one in the process whose caller waits: should that process die, the
 * next start is on another one, or after a restart, and is counted. `isRetry` says that a worker died with these mutations already; then
 * they are tried one by one.
 */
export const createApplyMutations = (deps: ApplyMutationsDeps) => {
  const { changes, mutationLimits, staged, starts, waiters, watch, metrics, log } = deps;
  const applyIsolating = createApplyIsolating({ changes, budget: mutationLimits, onQuotaReached: metrics.quotaReached, log });
  const retryMutation = createRetryMutation({ ...deps, applyIsolating });
  const oneAtATime = createOneAtATime(largeHoldMs);

  /** A large one takes tens of megabytes of memory while it is applied. */
  return (handedIn: HandedIn[], options: { isRetry?: boolean } = {}): Promise<AppliedRound> => {
    const apply = () => applyMutationsOnce(handedIn, options);
    return handedIn.some((given) => given.kind === 'staged' && given.bytes > largeMutationBytes) ? oneAtATime(apply) : apply();
  };

  async function applyMutationsOnce(handedIn: HandedIn[], { isRetry = false }: { isRetry?: boolean }): Promise<AppliedRound> {
    assertRecent(handedIn);
    const round: AppliedRound = { outcomes: [], wake: [] };
    const isFirst = !isRetry && waiters.hasAll(handedIn.map(({ id }) => id));
    const isCounted = !isFirst && !isRetry && (await beginGroup(handedIn));
    const failure = isFirst || isCounted ? await applyGroups() : await applyEach();
    if (round.outcomes.length === 0) throw toFailure(failure, log);
    await dropStaged(handedIn, round.outcomes);
    return round;

    function applyGroups(): Promise<unknown> {
      return inParallel([...groupByDirectory(handedIn)], async ([directoryId, group]) => {
        try {
          settle(directoryId, await applyIsolating(directoryId, await unstage(group)));
          if (isCounted) await starts.conclude(group);
        } catch (error) {
          if (isCounted) await starts.forgive(group);
          throw error;
        }
      });
    }

    /** What comes after a mutation that could not be applied waits for it, if it is of the same directory. */
    function applyEach(): Promise<unknown> {
      return inParallel([...groupByDirectory(handedIn)], async ([directoryId, group]) => {
        for (const given of group) settle(directoryId, await retryMutation(given));
      });
    }

    function settle(directoryId: string, { outcomes, wake }: Applied) {
      waiters.settle(outcomes);
      watch.hint(directoryId);
      round.outcomes.push(...outcomes.map((outcome) => shorten(directoryId, outcome)));
      if (wake && !round.wake.includes(directoryId)) round.wake.push(directoryId);
    }
  }

  async function beginGroup(handedIn: HandedIn[]): Promise<boolean> {
    try {
      return await starts.beginGroup(handedIn);
    } catch (error) {
      throw toFailure(error, log);
    }
  }

  /** What it says is no longer needed; should it be tried all the same, its outcome is known. */
  async function dropStaged(handedIn: HandedIn[], outcomes: OutcomeOrReference[]): Promise<void> {
    const applied = new Set(outcomes.map(({ mutationId }) => mutationId));
    for (const given of handedIn) {
      if (given.kind !== 'staged' || !applied.has(given.id)) continue;
      await staged
        .drop(given)
        .catch((error: Error) => log.warn({ error: toLoggableMessage(error) }, 'a staged mutation is left to the sweep'));
    }
  }

  function unstage(handedIn: HandedIn[]): Promise<Mutation[]> {
    return Promise.all(handedIn.map(async (given) => (given.kind === 'staged' ? staged.fetch(given) : given)));
  }
};

/** Temporal keeps what an activity returns twice: what Postgres has too is left out if it may be long. */
function shorten(directoryId: string, outcome: Outcome): OutcomeOrReference {
  const { mutationId, results = [] } = outcome;
  return results.length > mostResults ? { mutationId, directoryId, isStored: true } : outcome;
}

/** Nobody waits for such a mutation. It may be an old input that somebody starts again now that its outcome is forgotten. */
function assertRecent(handedIn: HandedIn[]): void {
  if (handedIn.some(({ id }) => madeAtMs(id) < Date.now() - maxAgeMs))
    throw ApplicationFailure.nonRetryable('The mutation is more than two days old; it is not applied.', 'expired');
}

/** Gives one of the failures, if there were any. */
async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<unknown> {
  const settled = await Promise.allSettled(items.map(work));
  return settled.find((result) => result.status === 'rejected')?.reason;
}
