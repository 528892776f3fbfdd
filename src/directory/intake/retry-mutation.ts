import { StatementTimeoutError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import type { Applied, ApplyToDirectory } from '../changes/apply-to-directory.ts';
import type { SubmittedMutation, StagedMutationStore } from '../ports.ts';
import { createOneAtATime } from '../../shared/semaphore.ts';
import type { ChangeError } from '../changes/change-errors.ts';
import type { Outcome } from '../changes/mutation.ts';

/** A mutation that crashed its process, or took longer than a statement may, so often is rejected instead of started again. */
const maxStarts = 3;

/** It must be longer than a lock timeout in Postgres. */
const holdMs = 10_000;

export interface RetryMutationDeps {
  applyToDirectory: ApplyToDirectory;
  staged: Pick<StagedMutationStore, 'fetch'>;
  starts: MutationStartStore;
  wakeOperatorSoon(): void;
  log: Logger;
}

/**
 * Retries a mutation after its process ended before there was an outcome. Each start is counted first, and one mutation is tried at a time,
 * so that another crash shows which mutation caused it.
 */
export function createRetryMutation({ applyToDirectory, staged, starts, wakeOperatorSoon, log }: RetryMutationDeps) {
  const oneAtATime = createOneAtATime(holdMs);
  const running = new Map<string, Promise<Applied>>();

  return (submitted: SubmittedMutation): Promise<Applied> => {
    // With a slow database, Temporal may start an activity again whose first attempt is still running here.
    const known = running.get(submitted.id);
    if (known) return known;
    const retried = oneAtATime(() => retry(submitted)).finally(() => running.delete(submitted.id));
    running.set(submitted.id, retried);
    return retried;
  };

  async function retry(submitted: SubmittedMutation): Promise<Applied> {
    const { directoryId } = submitted;
    if ((await starts.countRetry(submitted)) > maxStarts) return reject(submitted);
    try {
      const applied = await applyToDirectory(directoryId, [submitted.kind === 'staged' ? await staged.fetch(submitted) : submitted]);
      await starts.conclude([submitted]);
      return applied;
    } catch (error) {
      if (!(error instanceof StatementTimeoutError)) await starts.uncount([submitted]);
      throw error;
    }
  }

  async function reject({ directoryId, id, kind, ...rest }: SubmittedMutation): Promise<Applied> {
    const reason = `The process ended unexpectedly, or a statement took too long, each of the ${maxStarts} times that this change was started.`;
    const resourceId = ('resourceId' in rest ? rest.resourceId : undefined) ?? id;
    const error: ChangeError = { code: 'internal', detail: `${reason} It was not applied, and will not be retried.` };
    const outcome = await starts.reject(directoryId, { mutationId: id, resourceId, error }, reason);
    if (outcome.error?.detail === error.detail) {
      log.error(
        { directoryId, mutationId: id, kind: 'mutationKind' in rest ? rest.mutationKind : kind, reason },
        'a mutation was rejected',
      );
      wakeOperatorSoon();
    }
    return { outcomes: [outcome], wake: false };
  }
}

type MutationKey = { directoryId: string; id: string };

/** Counts starts of mutations in Postgres, each before it begins. A start that is still counted later ended with a crash or took too long. */
export interface MutationStartStore {
  /** Counts a first start of each mutation. False if one of them was started before: then none is counted. */
  countFirstStarts(mutations: MutationKey[]): Promise<boolean>;
  /** Counts another start, and returns the number of starts: at least 2, because the first start is counted before. */
  countRetry(mutation: MutationKey): Promise<number>;
  /** The mutations have outcomes: deletes their counts. */
  conclude(mutations: MutationKey[]): Promise<void>;
  /** Takes back one start of each mutation, because it ended with an error. One that took too long remains counted. */
  uncount(mutations: MutationKey[]): Promise<void>;
  /** Stores the outcome and an operator event, unless the mutation has an outcome already. Returns the stored outcome. */
  reject(directoryId: string, outcome: Outcome, reason: string): Promise<Outcome>;
}

interface MutationStarts extends MutationStartStore {
  /** Takes back all open starts, because the process stops. */
  forgiveOpen(): Promise<void>;
}

/**
 * Keeps the open starts of this process. A start that could not be taken back because Postgres was unreachable is taken back as soon as it is
 * reachable, so that an outage does not count as a crash.
 */
export function createMutationStarts(store: MutationStartStore): MutationStarts {
  const open = new Map<string, MutationKey>();
  const owed = new Map<string, MutationKey>();
  const counting = new Set<Promise<unknown>>();

  return {
    countFirstStarts: (mutations) =>
      count(mutations, async () => {
        const isFirst = await store.countFirstStarts(mutations);
        if (isFirst) for (const mutation of mutations) open.set(mutation.id, mutation);
        return isFirst;
      }),

    countRetry: (mutation) =>
      count([mutation], async () => {
        const starts = await store.countRetry(mutation);
        open.set(mutation.id, mutation);
        return starts;
      }),

    async conclude(mutations) {
      for (const { id } of mutations) open.delete(id);
      // Maintenance deletes what is left.
      await store.conclude(mutations).catch(() => undefined);
    },

    uncount: (mutations) => forgive(mutations.filter(({ id }) => open.delete(id))),

    async reject(directoryId, outcome, reason) {
      open.delete(outcome.mutationId);
      return store.reject(directoryId, outcome, reason);
    },

    async forgiveOpen() {
      await Promise.allSettled(counting);
      const left = [...open.values(), ...owed.values()];
      open.clear();
      owed.clear();
      await forgive(left);
    },
  };

  function count<Counted>(mutations: MutationKey[], countStarts: () => Promise<Counted>): Promise<Counted> {
    const counted = countOnce().finally(() => counting.delete(counted));
    counting.add(counted);
    return counted;

    async function countOnce(): Promise<Counted> {
      await uncountOwed(mutations);
      try {
        return await countStarts();
      } catch (error) {
        // The starts may have been counted.
        for (const mutation of mutations) owed.set(mutation.id, mutation);
        throw error;
      }
    }
  }

  async function forgive(mutations: MutationKey[]): Promise<void> {
    if (mutations.length === 0) return;
    await store.uncount(mutations).catch(() => {
      for (const mutation of mutations) owed.set(mutation.id, mutation);
    });
  }

  async function uncountOwed(mutations: MutationKey[]): Promise<void> {
    const due = mutations.filter(({ id }) => owed.has(id));
    if (due.length === 0) return;
    await store.uncount(due);
    for (const { id } of due) owed.delete(id);
  }
}
