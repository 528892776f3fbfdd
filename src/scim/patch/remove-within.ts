import { isObject } from '../json.ts';
import { findName } from '../properties.ts';
import type { Budget } from '../budget.ts';
import { weighSearch } from '../weigh.ts';
import { choose } from './choose.ts';
import type { Context } from './context.ts';
import type { Target } from './operation.ts';
import { toList } from './to-list.ts';

/** Removes the values that are chosen, or a part of each. Nothing is left of a value without parts. */
export function removeWithin(current: unknown, target: Target, context: Context): unknown {
  const elements = toList(current);
  if (target.path.sub !== undefined) context.budget.spend(15 * elements.length);
  const chosen = new Set(choose(elements, target, context));
  const rest = elements.filter((element, index) => !chosen.has(index) || keepsParts(element, target.path.sub, context.budget));
  if (rest.length === 0) return undefined;
  return Array.isArray(current) ? rest : rest[0];
}

/** Takes the part away, and says whether anything else is there. */
function keepsParts(element: unknown, sub: string | undefined, budget: Budget): boolean {
  if (sub === undefined) return false;
  if (!isObject(element)) return sub.toLowerCase() !== 'value';
  const names = Object.keys(element);
  budget.spend(weighSearch(names.length, sub));
  const name = findName(element, sub, names);
  if (name === undefined) return names.length > 0;
  delete element[name];
  return names.length > 1;
}
