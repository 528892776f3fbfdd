import { isObject, isSameJson } from '../json.ts';
import { copyJson, getOwn, setOwn } from '../properties.ts';
import type { Context } from './context.ts';
import { createCatalogue } from './catalogue.ts';
import { keepOnePrimary } from './primary.ts';
import type { Budget } from '../budget.ts';
import { weigh } from '../weigh.ts';

/** Adds the values that are not there yet. One that differs in nothing but `primary` is there. */
export function addValues(current: unknown[], values: unknown[], { definition, budget, catalogues }: Context): unknown[] {
  const hasPrimary = definition?.subAttributes?.some(({ name }) => name === 'primary') ?? false;
  const catalogue = catalogues.get(current) ?? createCatalogue(current, { ignored: hasPrimary ? 'primary' : undefined, budget });
  catalogues.set(current, catalogue);
  let preferred: unknown;
  for (const value of values) {
    let there = catalogue.find(value);
    if (there === undefined) {
      there = copyJson(value);
      current.push(there);
      catalogue.note(there);
    }
    const primary = hasPrimary && isObject(value) ? getOwn(value, 'primary') : undefined;
    if (primary !== undefined && isObject(there)) setOwn(there, 'primary', primary);
    if (primary === true) preferred = there;
  }
  if (preferred) {
    budget.spend(current.length);
    keepOnePrimary(current, preferred);
  }
  return current;
}

/** What is no list goes, whatever value is named. */
export function removeValues(current: unknown, values: unknown[], budget: Budget): unknown {
  if (!Array.isArray(current)) return undefined;
  const ofValues = values.reduce<number>((sum, value) => sum + weighCompared(value), 0);
  budget.spend(weigh(current) * values.length + current.length * ofValues);
  const rest = current.filter((element) => !values.some((value) => isMeant(element, value)));
  return rest.length > 0 ? rest : undefined;
}

/** What of a value is compared with each element. */
const weighCompared = (given: unknown): number =>
  isObject(given) && Object.hasOwn(given, 'value') ? weigh(given['value']) + weigh(getOwn(given, 'type')) : weigh(given);

/** A value is named by its `value`, and by its `type` if that is given too; otherwise by all that is given. */
function isMeant(element: unknown, given: unknown): boolean {
  if (!isObject(element) || !isObject(given)) return isSameJson(element, given);
  const names = Object.hasOwn(given, 'value') ? ['value', 'type'] : Object.keys(given);
  return names.every((name) => !Object.hasOwn(given, name) || isSameJson(getOwn(element, name), given[name]));
}
