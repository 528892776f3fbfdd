import { AppError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import type { BudgetLimits } from '../../scim/budget.ts';
import { applyInTransaction, emptyOutcome, type Applied } from './apply-in-transaction.ts';
import type { Mutation, Result } from './mutation.ts';
import type { ChangeStore } from '../ports.ts';

export interface ApplyToDirectoryDeps {
  changes: ChangeStore;
  /** The budget of each mutation. */
  budget?: BudgetLimits | undefined;
  /** Called for each operation that a quota rejects. */
  onQuotaReached(quota: string): void;
  log: Logger;
}

export type ApplyToDirectory = (directoryId: string, mutations: Mutation[], options?: { expires?: boolean }) => Promise<Applied>;

/**
 * Applies mutations to a directory, in as many transactions as they need. A mutation that fails unexpectedly gets an outcome with a 500 error;
 * the others are applied.
 */
export function createApplyToDirectory({ changes, budget, onQuotaReached, log }: ApplyToDirectoryDeps): ApplyToDirectory {
  return async function applyToDirectory(directoryId, mutations, options) {
    let applied: Applied;
    try {
      applied = await applyInTransaction(changes, directoryId, mutations, budget, options);
      for (const result of applied.outcomes.flatMap((outcome): Result[] => outcome.results ?? [outcome]))
        if (result.error?.quota !== undefined) onQuotaReached(result.error.quota);
    } catch (error) {
      if (error instanceof AppError) throw error;
      const [only, ...others] = mutations;
      if (only && others.length === 0) {
        log.error({ err: error, directoryId, mutationId: only.id, kind: only.kind }, 'a mutation failed unexpectedly');
        return { outcomes: [{ ...emptyOutcome(only), error: unexpected }], wake: false };
      }
      applied = { outcomes: [], wake: false };
      for (const mutation of mutations) applied = join(applied, await applyToDirectory(directoryId, [mutation], options));
      return applied;
    }
    // The rest was too much for one transaction.
    const settled = new Set(applied.outcomes.map(({ mutationId }) => mutationId));
    const left = mutations.filter(({ id }) => !settled.has(id));
    if (left.length === 0) return applied;
    const next = applied.outcomes.length > 0 ? [left] : halve(left);
    for (const some of next) applied = join(applied, await applyToDirectory(directoryId, some, options));
    return applied;
  };
}

function join(one: Applied, next: Applied): Applied {
  const emitted =
    one.emitted && next.emitted
      ? { ...next.emitted, events: [...one.emitted.events, ...next.emitted.events] }
      : (next.emitted ?? one.emitted);
  return { outcomes: [...one.outcomes, ...next.outcomes], wake: one.wake || next.wake, ...(emitted && { emitted }) };
}

function halve(mutations: Mutation[]): Mutation[][] {
  const middle = Math.ceil(mutations.length / 2);
  return [mutations.slice(0, middle), mutations.slice(middle)];
}

const unexpected = { status: 500, detail: 'Internal error; see the log of the service.' };
