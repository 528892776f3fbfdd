import { type Budget, countTerms, weighComparisons } from '../../scim/budget.ts';
import { getOwn, isObject, type JsonObject } from '../../scim/json.ts';
import { createElementTest } from '../../scim/filter/matches.ts';
import { stepsOf } from '../../scim/filter/value-finder.ts';
import { userType } from '../../scim/schema/resource-types.ts';
import { withoutSub } from '../../scim/schema/resolve-path.ts';
import type { ParsedPath } from './source.ts';

/** A resource may have 100,000 addresses. */
const maxExamined = 200;

/** Reads the attributes of one user. */
export interface Reading {
  budget: Budget;
  /** The name as the object spells it. */
  spell(holder: JsonObject, name: string): string | undefined;
}

export function createReading(budget: Budget): Reading {
  /** The names of an object by their lower case. They are listed once, however many paths look for a name that the object lacks. */
  const spellings = new Map<JsonObject, Map<string, string>>();
  return {
    budget,
    spell(holder, name) {
      budget.spend(1);
      if (Object.hasOwn(holder, name)) return name;
      let known = spellings.get(holder);
      if (!known) {
        known = new Map();
        const names = Object.keys(holder);
        budget.spend(names.length);
        for (const one of names) {
          const lower = one.toLowerCase();
          if (!known.has(lower)) known.set(lower, one);
        }
        spellings.set(holder, known);
      }
      return known.get(name.toLowerCase());
    },
  };
}

export type FindValues = (resource: JsonObject, reading: Reading) => unknown[];

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
  const terms = countTerms(filter);
  return (resource, reading) => {
    const { budget } = reading;
    let found: unknown[] = [resource];
    for (const name of names) found = step(found, name, reading);
    budget.spend(found.length);
    if (test) {
      budget.spend(terms * weighComparisons(found));
      found = found.filter(test);
    }
    found = primaryFirst(found);
    for (const name of below) found = step(found, name, reading);
    return found;
  };
}

function step(holders: unknown[], name: string, reading: Reading): unknown[] {
  const found: unknown[] = [];
  for (const holder of holders) {
    if (!isObject(holder)) {
      // A list of plain values: `value` refers to the values.
      if (name === 'value' && holder !== null && typeof holder !== 'object') found.push(holder);
      continue;
    }
    const spelled = reading.spell(holder, name);
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
