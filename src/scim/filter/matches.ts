import { isObject, type JsonObject } from '../json.ts';
import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { createComparison, createFold } from './comparison.ts';
import type { Filter } from './filter.ts';
import { createValueFinder, createKeysOf, type KeysOf } from './value-finder.ts';
import { type Place, attributeOf } from '../schema/resolve-path.ts';

/** Whether a resource, as shown to an identity provider, matches a filter. */
export const matches = (filter: Filter, resource: JsonObject, type: ResourceType): boolean =>
  compile(filter, { type, fold: createFold(), keysOf: createKeysOf() })(resource);

type Test = (value: unknown) => boolean;

/** Returns a test for the values of `outer`. Names are resolved once for all values. */
export const createElementTest = (filter: Filter, place: { outer: AttributePath; type: ResourceType }): Test =>
  compile(filter, { ...place, fold: createFold(), keysOf: createKeysOf() });

/** The terms of a filter share it. */
interface Compiling extends Place {
  fold: (text: string) => string;
  keysOf: KeysOf;
}

function compile(filter: Filter, place: Compiling): Test {
  if ('terms' in filter) {
    const tests = filter.terms.map((term) => compile(term, place));
    return filter.kind === 'and' ? (value) => tests.every((test) => test(value)) : (value) => tests.some((test) => test(value));
  }
  if (filter.kind === 'not') {
    const test = compile(filter.term, place);
    return (value) => !test(value);
  }
  if (filter.kind === 'compare') return compileComparison(filter, place);
  const find = createValueFinder(filter.path, place);
  const test = filter.kind === 'present' ? hasContent : compile(filter.filter, { ...place, outer: filter.path });
  return (value) => find(value, test);
}

function compileComparison({ path, operator, value }: Filter & { kind: 'compare' }, place: Compiling): Test {
  const find = createValueFinder(path, place);
  if (value === null) return (holder) => find(holder, hasContent) === (operator === 'ne');
  const attribute = attributeOf(path, place);
  const test = createComparison({ operator: operator === 'ne' ? 'eq' : operator, value, attribute, fold: place.fold });
  const testOne: Test = attribute ? test : (stored) => test(unwrap(stored));
  return operator === 'ne' ? (holder) => !find(holder, testOne) : (holder) => find(holder, testOne);
}

/** Values of unknown attributes are compared by their `value` too. */
const unwrap = (stored: unknown) => (isObject(stored) && Object.hasOwn(stored, 'value') ? stored['value'] : stored);

/** Whether the value contains anything except nulls and empty text. */
function hasContent(value: unknown): boolean {
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) rest.push(inner);
    else if (next !== null && next !== undefined && next !== '') return true;
  }
  return false;
}
