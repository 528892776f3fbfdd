import type { Budget } from '../../scim/budget.ts';
import { findName, getOwn, isObject, type JsonObject } from '../../scim/json.ts';
import { createElementTest } from '../../scim/filter/matches.ts';
import { stepsOf } from '../../scim/filter/value-finder.ts';
import { userType } from '../../scim/schema/resource-types.ts';
import { withoutSub } from '../../scim/schema/resolve-path.ts';
import type { ParsedPath } from './source.ts';

/** A resource may have 100,000 addresses. */
const maxExamined = 200;

export type FindValues = (resource: JsonObject, budget: Budget) => unknown[];

/** Returns a function that finds the values of a path, the primary one first. The names are resolved once. */
export function createFindValues({ path, filter, rest }: ParsedPath): FindValues {
  const place = { type: userType };
  const outer = withoutSub(path);
  const names = stepsOf(outer, place).map(({ name }) => name);
  const below = [
    ...stepsOf(path, place)
      .map(({ name }) => name)
      .slice(names.length),
    ...rest,
  ];
  const test = filter && createElementTest(filter, { outer, type: userType });
  return (resource, budget) => {
    let found: unknown[] = [resource];
    for (const name of names) found = step(found, name, budget);
    budget.spend(found.length);
    if (test) found = found.filter(test);
    found = primaryFirst(found);
    for (const name of below) found = step(found, name, budget);
    return found;
  };
}

function step(holders: unknown[], name: string, budget: Budget): unknown[] {
  const found: unknown[] = [];
  for (const holder of holders) {
    if (!isObject(holder)) {
      // A list of plain values: `value` refers to the values.
      if (name === 'value' && holder !== null && typeof holder !== 'object') found.push(holder);
      continue;
    }
    // Listing the names is needed only if the resource spells this one in another way.
    const isOwn = Object.hasOwn(holder, name);
    const names = isOwn ? undefined : Object.keys(holder);
    budget.spend(isOwn ? 1 : names!.length);
    const spelled = isOwn ? name : findName(holder, name, names);
    const value = spelled === undefined ? undefined : getOwn(holder, spelled);
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (one !== undefined && one !== null) found.push(one);
      if (found.length >= maxExamined) return found;
    }
  }
  return found;
}

const isPrimary = (value: unknown) => isObject(value) && String(getOwn(value, 'primary')).toLowerCase() === 'true';

function primaryFirst(values: unknown[]): unknown[] {
  const at = values.findIndex(isPrimary);
  return at <= 0 ? values : [values[at], ...values.slice(0, at), ...values.slice(at + 1)];
}
