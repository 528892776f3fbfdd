import { noTarget } from '../errors.ts';
import { withoutSub } from '../filter/attribute-of.ts';
import { isObject } from '../json.ts';
import { copyJson, findName, setOwn } from '../properties.ts';
import { printPath } from '../schema/resolve.ts';
import { choose } from './choose.ts';
import type { Context } from './context.ts';
import { keepNamed, makeElement } from './make-element.ts';
import { merge } from './merge.ts';
import type { PatchOperation } from './operation.ts';
import { keepOnePrimary } from './primary.ts';
import { toList } from './to-list.ts';
import type { Budget } from '../budget.ts';
import { countValues, weighSearch } from '../weigh.ts';

type Change = Extract<PatchOperation, { op: 'add' | 'replace' }>;

/** Changes the values that are chosen, or a part of each. If there is none it is made (RFC 7644, errata 7122 and 8097). */
export function changeWithin(current: unknown, change: Change, context: Context): unknown {
  const { definition, budget } = context;
  const { target, value } = change;
  const isList = definition?.multiValued ?? (Array.isArray(current) || (current === undefined && target.filter !== undefined));
  const elements = toList(current);
  const chosen = choose(elements, target, context);
  if (chosen.length === 0) {
    if (!isList && elements.length > 0) throw noTarget(`${printPath(withoutSub(target.path))} does not fulfil the filter.`);
    const made = makeElement(change, elements, context);
    if (made === undefined) return current;
    chosen.push(elements.push(made) - 1);
  } else {
    budget.spend(4 * countValues(value) * chosen.length);
    for (const index of chosen) elements[index] = changeElement(elements[index], change, { ...context, isList });
  }
  const last = elements[chosen.at(-1)!];
  if (definition && isList && saysPrimary(change) && isObject(last) && last['primary'] === true) keepOnePrimary(elements, last);
  return isList ? elements : elements[0];
}

function changeElement(element: unknown, { op, target, value }: Change, { isList, budget }: Context & { isList: boolean }): unknown {
  const { path, filter } = target;
  if (path.sub !== undefined) return setPart(element, path.sub, value, budget);
  if (!isObject(element) || !isObject(value)) return copyJson(value);
  const object = op === 'replace' && isList ? keepNamed(element, filter, budget) : element;
  merge(object, value, budget);
  return object;
}

function setPart(element: unknown, sub: string, value: unknown, budget: Budget): unknown {
  if (isObject(element)) {
    const names = Object.keys(element);
    budget.spend(weighSearch(names.length, sub));
    setOwn(element, findName(element, sub, names) ?? sub, copyJson(value));
  } else if (sub.toLowerCase() === 'value') return copyJson(value);
  else throw noTarget(`${sub} cannot be set: what is there has no parts.`);
  return element;
}

const saysPrimary = ({ target: { path, filter }, value }: Change) =>
  path.sub === undefined ? isObject(value) && Object.hasOwn(value, 'primary') : path.sub === 'primary' || filter !== undefined;
