import { withoutSub } from '../filter/attribute-of.ts';
import { matchesElement } from '../filter/matches.ts';
import type { Context } from './context.ts';
import type { Target } from './operation.ts';
import { countTerms, weigh } from './work.ts';

/** The indexes of the values that fulfil the target's filter; without one, of all. */
export function choose(elements: unknown[], { path, filter }: Target, { type, work }: Context): number[] {
  work.spend(weigh(elements) * Math.max(1, countTerms(filter)));
  const outer = withoutSub(path);
  return elements.flatMap((element, index) => (!filter || matchesElement(filter, element, { outer, type }) ? [index] : []));
}
