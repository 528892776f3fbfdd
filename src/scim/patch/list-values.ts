import { isObject, isSameJson, copyJson, getOwn, setOwn } from '../json.ts';
import { type Budget, weigh } from '../budget.ts';
import type { Attribute, ResourceType } from '../schema/attribute.ts';

/** Adds values that are not in the list yet. Values that differ only in `primary` count as equal. */
export function addValues(current: unknown[], values: unknown[], { definition, budget, valueIndexes }: PatchContext): unknown[] {
  const hasPrimary = definition?.subAttributes?.some(({ name }) => name === 'primary') ?? false;
  const valueIndex = valueIndexes.get(current) ?? createValueIndex(current, { ignored: hasPrimary ? 'primary' : undefined, budget });
  valueIndexes.set(current, valueIndex);
  let preferred: unknown;
  for (const value of values) {
    let existing = valueIndex.find(value);
    if (existing === undefined) {
      existing = copyJson(value);
      current.push(existing);
      valueIndex.note(existing);
    }
    const primary = hasPrimary && isObject(value) ? getOwn(value, 'primary') : undefined;
    if (primary !== undefined && isObject(existing)) setOwn(existing, 'primary', primary);
    if (primary === true) preferred = existing;
  }
  if (preferred) {
    budget.spend(current.length);
    keepOnePrimary(current, preferred);
  }
  return current;
}

/** A value that is not a list is removed, whatever values are given. */
export function removeValues(current: unknown, values: unknown[], budget: Budget): unknown {
  if (!Array.isArray(current)) return undefined;
  const ofValues = values.reduce<number>((sum, value) => sum + weighCompared(value), 0);
  budget.spend(weigh(current) * values.length + current.length * ofValues);
  const rest = current.filter((element) => !values.some((value) => isSame(element, value)));
  return rest.length > 0 ? rest : undefined;
}

/** The cost of the part of a value that is compared with each element. */
const weighCompared = (given: unknown): number =>
  isObject(given) && Object.hasOwn(given, 'value') ? weigh(given['value']) + weigh(getOwn(given, 'type')) : weigh(given);

/** Values match by `value`, and by `type` if given; otherwise by everything given. */
function isSame(element: unknown, given: unknown): boolean {
  if (!isObject(element) || !isObject(given)) return isSameJson(element, given);
  const names = Object.hasOwn(given, 'value') ? ['value', 'type'] : Object.keys(given);
  return names.every((name) => !Object.hasOwn(given, name) || isSameJson(getOwn(element, name), given[name]));
}

/** The context of the attribute that an operation changes. */
export interface PatchContext {
  /** The definition of the whole attribute, if a schema has it. */
  definition: Attribute | undefined;
  type: ResourceType;
  budget: Budget;
  /** Indexes of lists that were added to, valid until the list is changed otherwise. */
  valueIndexes: ValueIndexes;
}

type ValueIndex = ReturnType<typeof createValueIndex>;
export type ValueIndexes = WeakMap<unknown[], ValueIndex>;

/** Finds values in a list. Compares only values with the same `value`, because lists may be long. */
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
      // Each comparison reads the names of both.
      budget.spend(weigh(value) * (1 + group.length) + weigh(group));
      const wanted = identify(value);
      return group.find((one) => isSameJson(identify(one), wanted));
    },
  };
}

function keyOf(value: unknown): string | null {
  const key = isObject(value) ? getOwn(value, 'value') : value;
  // A string, not a number: an attacker can predict how a map places numbers, and make many collide.
  if (typeof key === 'object') return null;
  // Long keys are cut; the full comparison follows and is counted by the budget.
  return typeof key === 'string' && key.length > maxKey ? `long ${key.length} ${key.slice(0, maxKey)}` : `${typeof key} ${key as string}`;
}
const maxKey = 200;

/** At most one value is primary: when a PATCH makes another one primary, the previous one loses it (RFC 7644, section 3.5.2). */
export function keepOnePrimary(values: unknown[], chosen: unknown): void {
  for (const value of values) if (value !== chosen && isObject(value) && value['primary'] === true) value['primary'] = false;
}

export const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
