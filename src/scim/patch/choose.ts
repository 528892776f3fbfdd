import { withoutSub } from '../filter/attribute-of.ts';
import { createElementTest } from '../filter/matches.ts';
import type { Context } from './context.ts';
import type { Target } from './operation.ts';
import { countTerms, weighComparisons } from '../weigh.ts';

/** The indexes of the values that fulfil the target's filter; without one, of all. */
export function choose(elements: unknown[], { path, filter }: Target, { type, budget }: Context): number[] {
  budget.spend(filter ? (weighComparisons(elements) + 12) * countTerms(filter) : 5 * elements.length);
  if (!filter) return [...elements.keys()];
  const isMeant = createElementTest(filter, { outer: withoutSub(path), type });
  const chosen: number[] = [];
  for (const [index, element] of elements.entries()) if (isMeant(element)) chosen.push(index);
  return chosen;
}
