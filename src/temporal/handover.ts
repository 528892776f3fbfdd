import type { Outcome } from '../directory/mutation.ts';

/**
 * Passes an outcome from the activity that committed it to the request that waits for it, where both are in one process:
 * the answer need not wait until the workflow has ended.
 */
export interface Handover {
  expect(mutationIds: string[], onOutcome: (outcome: Outcome) => void): void;
  forget(mutationIds: string[]): void;
  /** Whether the requests for all of them wait in this process. */
  expects(mutationIds: string[]): boolean;
  offer(outcomes: Outcome[]): void;
}

export function createHandover(): Handover {
  const expected = new Map<string, (outcome: Outcome) => void>();
  return {
    expect(mutationIds, onOutcome) {
      for (const id of mutationIds) expected.set(id, onOutcome);
    },
    forget(mutationIds) {
      for (const id of mutationIds) expected.delete(id);
    },
    expects: (mutationIds) => mutationIds.every((id) => expected.has(id)),
    offer(outcomes) {
      for (const outcome of outcomes) expected.get(outcome.mutationId)?.(outcome);
    },
  };
}
