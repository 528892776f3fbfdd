import type { Filter } from '../filter/filter.ts';
import { tooLarge } from '../errors.ts';

/** What one PATCH may cost: many operations on long lists would keep everybody else waiting. */
export interface Work {
  spend(steps: number): void;
}

/** A second or two. A thousand operations on lists of some hundred values are within it. */
const maxSteps = 2_000_000;

export function createWork(): Work {
  let left = maxSteps;
  return {
    spend(steps) {
      left -= steps;
      if (left < 0) throw tooLarge('The PATCH is too much work at once: send fewer operations, or operations on shorter lists.');
    },
  };
}

/** How much there is to look at. Long text takes longer to compare than to pass on. */
export const weigh = (value: unknown): number => weighWith(value, (text) => 1 + (text.length >> 5));
export const countValues = (value: unknown): number => weighWith(value, () => 1);

function weighWith(value: unknown, weighText: (text: string) => number): number {
  if (typeof value === 'string') return weighText(value);
  if (typeof value !== 'object' || value === null) return 1;
  let weight = 3;
  for (const inner of Object.values(value)) weight += weighWith(inner, weighText);
  return weight;
}

export function countTerms(filter: Filter | undefined): number {
  if (!filter) return 0;
  if ('terms' in filter) return filter.terms.reduce((sum, term) => sum + countTerms(term), 0);
  if (filter.kind === 'not') return countTerms(filter.term);
  return filter.kind === 'element' ? countTerms(filter.filter) : 1;
}
