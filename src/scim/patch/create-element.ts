import { noTarget } from '../errors.ts';
import type { Filter } from '../filter/filter.ts';
import { createElementTest } from '../filter/matches.ts';
import { isObject, isSameJson, type JsonObject, findName, getOwn, setOwn, copyJson } from '../json.ts';
import { readElement } from '../resource/read-value.ts';
import { printPath, withoutSub } from '../schema/resolve-path.ts';
import { type Budget, countValues, weigh, weighSearch } from '../budget.ts';
import type { PatchContext } from './list-values.ts';
import type { SetOperation } from './operation.ts';

type Equality = Extract<Filter, { kind: 'compare' }>;

/**
 * Creates the value that an operation refers to. An operation that changes what its own filter matches (`emails[value eq "old"].value`)
 * cannot create it. If the result exists already, the operation was applied before, and undefined is returned.
 */
export function createElement({ target, value }: SetOperation, elements: unknown[], { definition, type, budget }: PatchContext): unknown {
  const { path, filter } = target;
  const outer = withoutSub(path);
  const found = describe(filter);
  const given = path.sub === undefined && isObject(value) ? value : Object.fromEntries([[path.sub ?? 'value', value]]);
  const created = { ...found };
  mergeSubAttributes(created, given, budget);
  if (found && (!filter || createElementTest(filter, { outer, type })(created)))
    return definition ? readElement(created, definition, printPath(outer)) : created;
  if (found) budget.spend(weigh(elements) + elements.length * weigh(given));
  if (found && elements.some((element) => isObject(element) && hasAll(element, given))) return undefined;
  throw noTarget(`No value of ${printPath(outer)} matches the filter, and none can be created from it.`);
}

const hasAll = (element: JsonObject, given: JsonObject) =>
  Object.entries(given).every(([name, value]) => isSameJson(getOwn(element, name), value));

/** The value that a filter fully describes: `type eq "work" and primary eq true`. */
function describe(filter: Filter | undefined): JsonObject | undefined {
  const described: JsonObject = {};
  for (const term of termsOf(filter)) {
    if (!isEquality(term)) return undefined;
    const name = term.path.attribute!;
    if (term.value === null) continue;
    if (Object.hasOwn(described, name) && !isSameJson(described[name], term.value)) return undefined;
    setOwn(described, name, term.value);
  }
  return described;
}

/** Keeps the values that the filter matches by when the value is replaced: a work address stays one. */
export function keepFilterValues(element: JsonObject, filter: Filter | undefined, budget: Budget): JsonObject {
  const kept: JsonObject = {};
  const names = Object.keys(element);
  for (const wanted of listFilterNames(filter)) {
    budget.spend(weighSearch(names.length, wanted));
    const name = findName(element, wanted, names);
    if (name !== undefined) setOwn(kept, name, getOwn(element, name));
  }
  return kept;
}

export const listFilterNames = (filter: Filter | undefined): string[] =>
  termsOf(filter)
    .filter(isEquality)
    .map(({ path }) => path.attribute!);

const termsOf = (filter: Filter | undefined): Filter[] =>
  filter === undefined ? [] : filter.kind === 'and' ? filter.terms.flatMap(termsOf) : [filter];

const isEquality = (filter: Filter): filter is Equality => filter.kind === 'compare' && filter.operator === 'eq';

/** Sets the given sub-attributes and removes those that are null. */
export function mergeSubAttributes(object: JsonObject, given: JsonObject, budget: Budget): void {
  for (const [name, value] of Object.entries(given)) {
    budget.spend(weighSearch(Object.keys(object).length, name) + 2 * countValues(value));
    const there = findName(object, name) ?? name;
    if (value === null) delete object[there];
    else setOwn(object, there, copyJson(value));
  }
}
