import { StatementTimeoutError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { Logger } from '../../logger.ts';
import type { Applied, ApplyToDirectory } from '../changes/apply-to-directory.ts';
import type { SubmittedMutation, StagedMutationStore } from '../ports.ts';
import { createOneAtATime } from '../../shared/semaphore.ts';
import type { ChangeError } from '../changes/change-errors.ts';
import type { Outcome } from '../changes/mutation.ts';

/** A mutation that crashed its process, or took longer than a statement may, so often is rejected instead of started again. */
const maxStarts = 3;

/** How long the record of a first start that has ended may stay. */
const endedMs = 1_000;

/** It must be longer than a lock timeout in Postgres. */
const holdMs = 10_000;

export interface RetryMutationDeps {
  applyToDirectory: ApplyToDirectory;
  staged: Pick<StagedMutationStore, 'fetch'>;
  starts: MutationStarts;
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
  /**
   * Counts the first start of the mutations of a group, as one row. False if one of them was started before: then none is counted. In the same
   * statement, deletes the rows of starts that have ended.
   */
  countFirstStart(first: FirstStart, ended: string[]): Promise<boolean>;
  /** Deletes the rows of first starts that have ended. */
  endFirstStarts(ids: string[]): Promise<void>;
  /** Counts a start of each mutation that took too long. */
  countTimeouts(mutations: MutationKey[]): Promise<void>;
  /** Counts another start, and returns the number of starts: at least 2, because the first start was counted here or by Temporal. */
  countRetry(mutation: MutationKey): Promise<number>;
  /** The mutations have outcomes: deletes their counts. */
  conclude(mutations: MutationKey[]): Promise<void>;
  /** Takes back one start of each mutation, because it ended with an error. One that took too long remains counted. */
  uncount(mutations: MutationKey[]): Promise<void>;
  /** Stores the outcome and an operator event, unless the mutation has an outcome already. Returns the stored outcome. */
  reject(directoryId: string, outcome: Outcome, reason: string): Promise<Outcome>;
}

interface FirstStart {
  id: string;
  mutations: MutationKey[];
  /** The mutations were created in this process and cannot have been started before. */
  isNew: boolean;
}

export interface MutationStarts extends Omit<MutationStartStore, 'countFirstStart' | 'endFirstStarts'> {
  /** Returns undefined if one of the mutations was started before. */
  beginFirst(mutations: MutationKey[], options: Pick<FirstStart, 'isNew'>): Promise<{ end(): void } | undefined>;
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
  const first = createFirstStarts(store);

  return {
    beginFirst: (mutations, options) => tracked(first.begin(mutations, options)),
    countTimeouts: store.countTimeouts,

    countRetry: (mutation) =>
      count(mutation, async () => {
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
      await Promise.all([forgive(left), first.endAll()]);
    },
  };

  function tracked<Counted>(counted: Promise<Counted>): Promise<Counted> {
    const settled = counted.finally(() => counting.delete(settled));
    counting.add(settled);
    return settled;
  }

  function count(mutation: MutationKey, countStarts: () => Promise<number>): Promise<number> {
    return tracked(countOnce());

    async function countOnce(): Promise<number> {
      await uncountOwed(mutation);
      try {
        return await countStarts();
      } catch (error) {
        // The start may have been counted.
        owed.set(mutation.id, mutation);
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

  async function uncountOwed(mutation: MutationKey): Promise<void> {
    if (!owed.has(mutation.id)) return;
    await store.uncount([mutation]);
    owed.delete(mutation.id);
  }
}

/**
 * The first starts of this process. A row is deleted by the statement that counts the next start, or after a second, so that a start costs
 * one statement.
 */
function createFirstStarts(store: Pick<MutationStartStore, 'countFirstStart' | 'endFirstStarts'>) {
  const open = new Set<string>();
  const ended = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  return {
    async begin(mutations: MutationKey[], { isNew }: Pick<FirstStart, 'isNew'>) {
      const id = newId();
      const deleting = [...ended];
      open.add(id);
      try {
        const isFirst = await store.countFirstStart({ id, mutations, isNew }, deleting);
        for (const other of deleting) ended.delete(other);
        if (isFirst) return { end: () => end(id) };
        open.delete(id);
        return undefined;
      } catch (error) {
        // It may have been counted.
        end(id);
        throw error;
      }
    },

    async endAll() {
      for (const id of open) end(id);
      await deleteEnded();
    },
  };

  function end(id: string): void {
    if (!open.delete(id)) return;
    ended.add(id);
    timer ??= setTimeout(() => void deleteEnded(), endedMs);
  }

  async function deleteEnded(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const deleting = [...ended];
    if (deleting.length === 0) return;
    // While Postgres is away they stay for the next start. Maintenance deletes what is left.
    await store.endFirstStarts(deleting).then(
      () => deleting.forEach((id) => ended.delete(id)),
      () => undefined,
    );
  }
}
