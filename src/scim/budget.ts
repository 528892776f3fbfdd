import { OverBudgetError } from './errors.ts';

export interface BudgetLimits {
  maxSteps: number;
  maxBytes: number;
}

/**
 * Counts what one mutation costs, all operations of a Bulk request together. It counts work and never time, so that the same mutation
 * on the same data is always decided alike.
 */
export interface Budget {
  /** Processor time: one step for each JSON value, member or 32 characters that is copied or compared, about 0.2 µs. */
  spend(steps: number): void;
  /** Memory that is held until the mutation is committed: events, and resources that were read or are written. */
  hold(bytes: number): void;
  spent(): { steps: number; bytes: number };
}

/** The defaults of MAX_MUTATION_STEPS and MAX_MUTATION_BYTES. */
export const defaultBudgetLimits: BudgetLimits = { maxSteps: 750_000, maxBytes: 33_554_432 };

/** For what no request asks for: the batches of a sync run, which have limits of their own. */
export const unlimitedBudget: BudgetLimits = { maxSteps: Infinity, maxBytes: Infinity };

export function createBudget({ maxSteps, maxBytes }: BudgetLimits = defaultBudgetLimits): Budget {
  let steps = 0;
  let bytes = 0;
  return {
    spend(more) {
      steps += more;
      if (steps > maxSteps) throw tooMuchWork(maxSteps);
    },
    hold(more) {
      bytes += more;
      if (bytes > maxBytes) throw tooManyBytes(maxBytes);
    },
    spent: () => ({ steps, bytes }),
  };
}

const tooMuchWork = (maxSteps: number) =>
  new OverBudgetError(
    `The request is too much work at once: it would take more than ${maxSteps} steps (MAX_MUTATION_STEPS). Send fewer operations, or operations on smaller resources and shorter lists. Nothing was changed.`,
  );

/** Also of what would have to be read. */
export const tooManyBytes = (maxBytes: number) =>
  new OverBudgetError(
    `The request would read or write more than ${maxBytes} bytes of resources and events (MAX_MUTATION_BYTES). Send fewer operations, or operations on smaller resources. Nothing was changed.`,
  );
