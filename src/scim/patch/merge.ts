import type { JsonObject } from '../json.ts';
import { copyJson, findName, setOwn } from '../properties.ts';
import { countValues, type Work } from './work.ts';

/** Sets the sub-attributes that are given, and takes away those that are null. */
export function merge(object: JsonObject, given: JsonObject, work: Work): void {
  for (const [name, value] of Object.entries(given)) {
    work.spend(Object.keys(object).length + countValues(value));
    const there = findName(object, name) ?? name;
    if (value === null) delete object[there];
    else setOwn(object, there, copyJson(value));
  }
}
