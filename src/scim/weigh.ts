import type { JsonObject } from './json.ts';
import type { Filter } from './filter/filter.ts';
import { isComposed } from './text.ts';

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
