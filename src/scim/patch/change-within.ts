import { withoutSub } from '../filter/attribute-of.ts';
import { isObject } from '../json.ts';
import { copyJson, findName, setOwn } from '../properties.ts';
import { readElement } from '../resource/read-value.ts';
import { printPath } from '../schema/resolve.ts';
import { choose } from './choose.ts';
import type { Context } from './context.ts';
import { keepNamed, makeElement } from './make-element.ts';
import { merge } from './merge.ts';
import type { PatchOperation } from './operation.ts';
import { keepOnePrimary } from './primary.ts';
import { noTarget } from './refusals.ts';
import { toList } from './to-list.ts';
import { countValues } from './work.ts';

type Change = Extract<PatchOperation, { op: 'add' | 'replace' }>;

/** Changes the values that are chosen, or a part of each. If there is none it is made (RFC 7644, errata 7122 and 8097). */
export function changeWithin(current: unknown, change: Change, context: Context): unknown {
  const { definition, work } = context;
  const { target, value } = change;
  const isList = definition?.multiValued ?? (Array.isArray(current) || (current === undefined && target.filter !== undefined));
  const elements = toList(current);
  const chosen = choose(elements, target, context);
  if (chosen.length === 0) {
    if (!isList && elements.length > 0) throw noTarget(`${printPath(withoutSub(target.path))} does not fulfil the filter.`);
    chosen.push(elements.length);
    elements.push(make(change, context));
  } else {
    work.spend(countValues(value) * chosen.length);
    for (const index of chosen) elements[index] = changeElement(elements[index], change, { ...context, isList });
  }
  const last = elements[chosen.at(-1)!];
  if (definition && isList && saysPrimary(change) && isObject(last) && last['primary'] === true) keepOnePrimary(elements, last);
  return isList ? elements : elements[0];
}

function changeElement(element: unknown, { op, target, value }: Change, { isList, work }: Context & { isList: boolean }): unknown {
  const { path, filter } = target;
  if (path.sub !== undefined) return setPart(element, path.sub, value);
  if (!isObject(element) || !isObject(value)) return copyJson(value);
  if (op === 'replace' && isList) return { ...keepNamed(element, filter), ...(copyJson(value) as object) };
  merge(element, value, work);
  return element;
}

function setPart(element: unknown, sub: string, value: unknown): unknown {
  if (isObject(element)) setOwn(element, findName(element, sub) ?? sub, copyJson(value));
  else if (sub.toLowerCase() === 'value') return copyJson(value);
  else throw noTarget(`${sub} cannot be set: what is there has no parts.`);
  return element;
}

function make({ target: { path, filter }, value }: Change, { definition }: Context): unknown {
  const element = makeElement(filter);
  const whole = withoutSub(path);
  if (!element) throw noTarget(`No value of ${printPath(whole)} fulfils the filter; only from "eq" and "and" one can be made.`);
  const given = path.sub === undefined && isObject(value) ? value : Object.fromEntries([[path.sub ?? 'value', value]]);
  const made = { ...element, ...(copyJson(given) as object) };
  return definition ? readElement(made, definition, printPath(whole)) : made;
}

const saysPrimary = ({ target: { path, filter }, value }: Change) =>
  path.sub === undefined ? isObject(value) && Object.hasOwn(value, 'primary') : path.sub === 'primary' || filter !== undefined;
