import { isObject, isSameJson, copyJson, getOwn, setOwn } from '../json.ts';
import type { Budget } from '../budget.ts';
import { weigh } from '../weigh.ts';
import type { Attribute, ResourceType } from '../schema/attribute.ts';

/** Adds the values that are not there yet. One that differs in nothing but `primary` is there. */
export function addValues(
  current: unknown[],
  values: unknown[],
  { definition, budget, valueIndexes: catalogues }: PatchContext,
): unknown[] {
  const hasPrimary = definition?.subAttributes?.some(({ name }) => name === 'primary') ?? false;
  const catalogue = catalogues.get(current) ?? createValueIndex(current, { ignored: hasPrimary ? 'primary' : undefined, budget });
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

/** What is known of the attribute that an operation changes. */
export interface PatchContext {
  /** Of the whole attribute, if a schema has it. */
  definition: Attribute | undefined;
  type: ResourceType;
  budget: Budget;
  /** Of lists that were added to, until something else changes them. */
  valueIndexes: ValueIndexes;
}

type ValueIndex = ReturnType<typeof createValueIndex>;
export type ValueIndexes = WeakMap<unknown[], ValueIndex>;

/** Finds what a list has already. It looks among those of the same `value` only: lists may be long. */
function createValueIndex(values: unknown[], { ignored, budget }: { ignored: string | undefined; budget: Budget }) {
  const alike = new Map<string | null, unknown[]>();
  const note = (value: unknown) => {
    const group = alike.get(keyOf(value));
    if (group) group.push(value);
    else alike.set(keyOf(value), [value]);
  };
  budget.spend(12 * values.length);
  for (const value of values) note(value);
  const identify = (value: unknown) =>
    ignored !== undefined && isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== ignored)) : value;

  return {
    note,
    find(value: unknown): unknown {
      const group = alike.get(keyOf(value)) ?? [];
      // Each comparison looks at the names of both.
      budget.spend(weigh(value) * (1 + group.length) + weigh(group));
      const wanted = identify(value);
      return group.find((one) => isSameJson(identify(one), wanted));
    },
  };
}

function keyOf(value: unknown): string | null {
  const key = isObject(value) ? getOwn(value, 'value') : value;
  // Not as a number: how a map places numbers can be told beforehand, and many can be made to fall into one place.
  if (typeof key === 'object') return null;
  // Long ones are compared in the end, which the budget counts.
  return typeof key === 'string' && key.length > maxKey ? `long ${key.length} ${key.slice(0, maxKey)}` : `${typeof key} ${key as string}`;
}
const maxKey = 200;

/** One value at most is the preferred one; a PATCH that makes another one so ends that of the last (RFC 7644, section 3.5.2). */
export function keepOnePrimary(values: unknown[], chosen: unknown): void {
  for (const value of values) if (value !== chosen && isObject(value) && value['primary'] === true) value['primary'] = false;
}

export const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
