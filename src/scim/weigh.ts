import type { JsonObject } from './json.ts';
import type { Filter } from './filter/filter.ts';

/** How many steps it takes to look at a value. Long text takes longer to compare than to pass on. */
export const weigh = (value: unknown): number => weighWith(value, { ofObject: 3, perCharacters: 16 });
export const countValues = (value: unknown): number => weighWith(value, { ofObject: 3, perCharacters: Infinity });
/** How many steps it takes to compare each value of a list with one term of a filter. */
export const weighComparisons = (values: unknown[]): number => 2 * values.length + weighWith(values, { ofObject: 0, perCharacters: 16 });

function weighWith(value: unknown, weights: { ofObject: number; perCharacters: number }): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / weights.perCharacters);
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

/** How many steps it takes to go through the names of an object: one of many names is a dictionary, and slow. */
export const weighNames = (count: number): number => (count > 200 ? 10 * count : count);
