import { OverBudgetError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Filter } from './filter/filter.ts';
import { isComposed } from './text.ts';

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

/** Postgres copies users that were not read into membership events. They take no memory here, so it may copy this many times `maxBytes`. */
export const copiesPerByte = 8;

export const tooManyCopies = (maxBytes: number) =>
  new OverBudgetError(
    `The membership events of the request would contain more than ${copiesPerByte * maxBytes} bytes of users (${copiesPerByte} times MAX_MUTATION_BYTES). Add or remove fewer members, or fewer large ones. Nothing was changed.`,
  );

/** Steps to read a value. Long text takes longer to compare than to copy. */
export const weigh = (value: unknown): number => weighWith(value, { ofObject: 3, weighText: (text) => 1 + (text.length >> 4) });
export const countValues = (value: unknown): number => weighWith(value, { ofObject: 3, weighText: () => 1 });
/** Steps to compare each value of a list with one term of a filter. */
export const weighComparisons = (values: unknown[]): number =>
  2 * values.length + weighWith(values, { ofObject: 0, weighText: weighComparison });
/** Text is normalized before it is compared. */
export const weighComparison = (text: string): number =>
  text.length < 4 ? 1 : 1 + (isComposed(text) ? text.length >> 4 : text.length >> 2);

function weighWith(value: unknown, weights: { ofObject: number; weighText: (text: string) => number }): number {
  if (typeof value === 'string') return weights.weighText(value);
  if (typeof value !== 'object' || value === null) return 1;
  let weight = weights.ofObject;
  if (Array.isArray(value)) for (const inner of value as unknown[]) weight += weighWith(inner, weights);
  else {
    let names = 0;
    for (const name in value) {
      names += 1;
      weight += weighWith((value as JsonObject)[name], weights);
    }
    weight += weighNames(names) - names;
  }
  return weight;
}

export function countTerms(filter: Filter | undefined): number {
  if (!filter) return 0;
  if ('terms' in filter) return filter.terms.reduce((sum, term) => sum + countTerms(term), 0);
  if (filter.kind === 'not') return countTerms(filter.term);
  return filter.kind === 'element' ? countTerms(filter.filter) : 1;
}

/** Steps to iterate over the names of an object. V8 stores objects with many names as slow dictionaries. */
export const weighNames = (count: number): number => (count > 200 ? 10 * count : count);
/** Steps to find a name among others: names of the same length are compared. */
export const weighSearch = (count: number, name: string): number => weighNames(count) + count * (name.length >> 4);
