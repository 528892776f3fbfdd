import { isObject, type JsonObject } from '../json.ts';
import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { attributeOf, type Place } from './attribute-of.ts';
import { compareStored } from './compare-stored.ts';
import type { Filter } from './filter.ts';
import { valuesOf } from './values-of.ts';

/** Whether a resource, as a provider is shown it, fulfils a filter. */
export const matches = (filter: Filter, resource: JsonObject, type: ResourceType): boolean => holds(filter, { value: resource, type });

/** Whether one value of `outer` fulfils the filter that stood between its brackets. */
export const matchesElement = (filter: Filter, element: unknown, { outer, type }: { outer: AttributePath; type: ResourceType }): boolean =>
  holds(filter, { value: element, outer, type });

function holds(filter: Filter, at: Place & { value: unknown }): boolean {
  if ('terms' in filter) {
    const isFulfilled = (term: Filter) => holds(term, at);
    return filter.kind === 'and' ? filter.terms.every(isFulfilled) : filter.terms.some(isFulfilled);
  }
  if (filter.kind === 'not') return !holds(filter.term, at);
  if (filter.kind === 'compare') return compares(filter, at);
  const found = valuesOf(at.value, filter.path, at);
  if (filter.kind === 'present') return found.some(hasContent);
  return found.some((value) => holds(filter.filter, { value, outer: filter.path, type: at.type }));
}

function compares({ path, operator, value }: Filter & { kind: 'compare' }, at: Place & { value: unknown }): boolean {
  const found = valuesOf(at.value, path, at);
  if (value === null) return found.some(hasContent) === (operator === 'ne');
  const attribute = attributeOf(path, at);
  const scalars = attribute ? found : found.map(unwrap);
  if (operator === 'ne') return !scalars.some((stored) => compareStored(stored, { operator: 'eq', value, attribute }));
  return scalars.some((stored) => compareStored(stored, { operator, value, attribute }));
}

/** What the type does not know is compared by its `value` too. */
const unwrap = (stored: unknown) => (isObject(stored) && Object.hasOwn(stored, 'value') ? stored['value'] : stored);

/** Whether there is anything but nulls and empty text in it. */
function hasContent(value: unknown): boolean {
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'object' && next !== null) rest.push(...Object.values(next));
    else if (next !== null && next !== undefined && next !== '') return true;
  }
  return false;
}
