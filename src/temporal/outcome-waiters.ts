import type { Outcome } from '../directory/changes/mutation.ts';

/**
 * Passes an outcome from the activity that committed it to the request that waits for it, when both are in the same process. The response
 * then need not wait for the workflow to end.
 */
export interface OutcomeWaiters {
  add(mutationIds: string[], onOutcome: (outcome: Outcome) => void): void;
  remove(mutationIds: string[]): void;
  settle(outcomes: Outcome[]): void;
}

export function createOutcomeWaiters(): OutcomeWaiters {
  const waiting = new Map<string, (outcome: Outcome) => void>();
  return {
    add(mutationIds, onOutcome) {
      for (const id of mutationIds) waiting.set(id, onOutcome);
    },
    remove(mutationIds) {
      for (const id of mutationIds) waiting.delete(id);
    },
    settle(outcomes) {
      for (const outcome of outcomes) waiting.get(outcome.mutationId)?.(outcome);
    },
  };
}
