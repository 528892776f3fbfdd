import { noTarget } from '../errors.ts';
import { withoutSub } from '../filter/attribute-of.ts';
import { isObject, copyJson, findName, setOwn } from '../json.ts';
import { printPath } from '../schema/resolve-path.ts';
import { type PatchContext, keepOnePrimary, toList } from './list-values.ts';
import { keepFilterValues, createElement, mergeSubAttributes } from './create-element.ts';
import type { Budget } from '../budget.ts';
import { countValues, weighSearch, countTerms, weighComparisons } from '../weigh.ts';
import { createElementTest } from '../filter/matches.ts';
import type { PatchOperation, Target } from './read-patch.ts';

type Change = Extract<PatchOperation, { op: 'add' | 'replace' }>;

/** Changes the selected values, or a sub-attribute of each. If none is selected, one is created (RFC 7644, errata 7122 and 8097). */
export function changeElements(current: unknown, change: Change, context: PatchContext): unknown {
  const { definition, budget } = context;
  const { target, value } = change;
  const isList = definition?.multiValued ?? (Array.isArray(current) || (current === undefined && target.filter !== undefined));
  const elements = toList(current);
  const chosen = selectElements(elements, target, context);
  if (chosen.length === 0) {
    if (!isList && elements.length > 0) throw noTarget(`${printPath(withoutSub(target.path))} does not match the filter.`);
    const created = createElement(change, elements, context);
    if (created === undefined) return current;
    chosen.push(elements.push(created) - 1);
  } else {
    budget.spend(4 * countValues(value) * chosen.length);
    for (const index of chosen) elements[index] = changeElement(elements[index], change, { ...context, isList });
  }
  const last = elements[chosen.at(-1)!];
  if (definition && isList && saysPrimary(change) && isObject(last) && last['primary'] === true) keepOnePrimary(elements, last);
  return isList ? elements : elements[0];
}

function changeElement(element: unknown, { op, target, value }: Change, { isList, budget }: PatchContext & { isList: boolean }): unknown {
  const { path, filter } = target;
  if (path.sub !== undefined) return setPart(element, path.sub, value, budget);
  if (!isObject(element) || !isObject(value)) return copyJson(value);
  const object = op === 'replace' && isList ? keepFilterValues(element, filter, budget) : element;
  mergeSubAttributes(object, value, budget);
  return object;
}

function setPart(element: unknown, sub: string, value: unknown, budget: Budget): unknown {
  if (isObject(element)) {
    const names = Object.keys(element);
    budget.spend(weighSearch(names.length, sub));
    setOwn(element, findName(element, sub, names) ?? sub, copyJson(value));
  } else if (sub.toLowerCase() === 'value') return copyJson(value);
  else throw noTarget(`${sub} cannot be set: the current value has no sub-attributes.`);
  return element;
}

const saysPrimary = ({ target: { path, filter }, value }: Change) =>
  path.sub === undefined ? isObject(value) && Object.hasOwn(value, 'primary') : path.sub === 'primary' || filter !== undefined;

/** Removes the selected values, or a sub-attribute of each. Values that become empty are removed. */
export function removeElements(current: unknown, target: Target, context: PatchContext): unknown {
  const elements = toList(current);
  if (target.path.sub !== undefined) context.budget.spend(15 * elements.length);
  const chosen = new Set(selectElements(elements, target, context));
  const rest = elements.filter((element, index) => !chosen.has(index) || keepsParts(element, target.path.sub, context.budget));
  if (rest.length === 0) return undefined;
  return Array.isArray(current) ? rest : rest[0];
}

/** Removes the sub-attribute and returns whether anything else is left. */
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

/** The indexes of the values that match the target's filter. Without a filter, all. */
function selectElements(elements: unknown[], { path, filter }: Target, { type, budget }: PatchContext): number[] {
  budget.spend(filter ? (weighComparisons(elements) + 12) * countTerms(filter) : 5 * elements.length);
  if (!filter) return [...elements.keys()];
  const isSelected = createElementTest(filter, { outer: withoutSub(path), type });
  const chosen: number[] = [];
  for (const [index, element] of elements.entries()) if (isSelected(element)) chosen.push(index);
  return chosen;
}
