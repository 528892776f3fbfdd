import type { JsonObject } from '../json.ts';
import { copyJson, findName, setOwn } from '../properties.ts';
import type { Budget } from '../budget.ts';
import { countValues, weighSearch } from '../weigh.ts';

/** Sets the sub-attributes that are given, and takes away those that are null. */
export function merge(object: JsonObject, given: JsonObject, budget: Budget): void {
  for (const [name, value] of Object.entries(given)) {
    budget.spend(weighSearch(Object.keys(object).length, name) + 2 * countValues(value));
    const there = findName(object, name) ?? name;
    if (value === null) delete object[there];
    else setOwn(object, there, copyJson(value));
  }
}
