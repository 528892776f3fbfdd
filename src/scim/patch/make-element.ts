import type { Filter } from '../filter/filter.ts';
import { isSameJson, type JsonObject } from '../json.ts';
import { findName, getOwn, setOwn } from '../properties.ts';

type Equality = Extract<Filter, { kind: 'compare' }>;

/** The value of which the filter says it all: `type eq "work" and primary eq true`. */
export function makeElement(filter: Filter | undefined): JsonObject | undefined {
  const element: JsonObject = {};
  for (const term of termsOf(filter)) {
    if (!isEquality(term)) return undefined;
    const name = term.path.attribute!;
    if (term.value === null) continue;
    if (Object.hasOwn(element, name) && !isSameJson(element[name], term.value)) return undefined;
    setOwn(element, name, term.value);
  }
  return element;
}

/** What the filter finds a value by stays with it when it is replaced: a work address stays one. */
export function keepNamed(element: JsonObject, filter: Filter | undefined): JsonObject {
  const kept: JsonObject = {};
  for (const term of termsOf(filter).filter(isEquality)) {
    const name = findName(element, term.path.attribute!);
    if (name !== undefined) setOwn(kept, name, getOwn(element, name));
  }
  return kept;
}

const termsOf = (filter: Filter | undefined): Filter[] =>
  filter === undefined ? [] : filter.kind === 'and' ? filter.terms.flatMap(termsOf) : [filter];

const isEquality = (filter: Filter): filter is Equality => filter.kind === 'compare' && filter.operator === 'eq';
