import type { Filter } from '../filter/filter.ts';
import { tooLarge } from '../errors.ts';

/** What one PATCH may cost: many operations on long lists would keep everybody else waiting. */
export interface Work {
  spend(steps: number): void;
}

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

/** Long text takes longer to compare. */
export function weigh(value: unknown): number {
  if (typeof value === 'string') return 1 + (value.length >> 5);
  if (typeof value !== 'object' || value === null) return 1;
  let weight = 1;
  for (const inner of Object.values(value)) weight += weigh(inner);
  return weight;
}

export function countTerms(filter: Filter | undefined): number {
  if (!filter) return 0;
  if ('terms' in filter) return filter.terms.reduce((sum, term) => sum + countTerms(term), 0);
  if (filter.kind === 'not') return countTerms(filter.term);
  return filter.kind === 'element' ? countTerms(filter.filter) : 1;
}
