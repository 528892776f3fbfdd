import { OverBudgetError } from './errors.ts';

export interface BudgetLimits {
  maxSteps: number;
  maxBytes: number;
}

/**
 * The cost of one mutation, for all operations of a Bulk request together. It counts work, not time, so the same mutation on the same data
 * always has the same result.
 */
export interface Budget {
  /** Processor time: one step per JSON value, member or 32 characters copied or compared, about 0.2 µs. */
  spend(steps: number): void;
  /** Memory held until the mutation is committed: events, and resources read or written. */
  hold(bytes: number): void;
  spent(): { steps: number; bytes: number };
}

/** The defaults of MAX_MUTATION_STEPS and MAX_MUTATION_BYTES. */
export const defaultBudgetLimits: BudgetLimits = { maxSteps: 750_000, maxBytes: 33_554_432 };

/** For the batches of a sync run, which have their own limits. */
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
    `The request is too expensive: it would take more than ${maxSteps} steps (MAX_MUTATION_STEPS). Send fewer operations, or operations on smaller resources and shorter lists. Nothing was changed.`,
  );

/** Also used for the size of what would have to be read. */
export const tooManyBytes = (maxBytes: number) =>
  new OverBudgetError(
    `The request would read or write more than ${maxBytes} bytes of resources and events (MAX_MUTATION_BYTES). Send fewer operations, or operations on smaller resources. Nothing was changed.`,
  );
