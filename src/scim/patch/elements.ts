import { isObject, isSameJson, isUnset, type JsonObject } from '../json.ts';

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : [value].filter((item) => !isUnset(item)));

/** What is there already is not added again. */
export function addMissing(current: unknown, added: unknown): unknown[] {
  const elements = asList(current);
  const known = new Set(elements.map(textOf));
  const fresh = asList(added).filter((element) => !known.has(textOf(element)) && known.add(textOf(element)));
  return keepOnePrimary([...elements, ...fresh], fresh);
}

/** Without those that are the same, or go by the same `value`. */
export function removeAlike(current: unknown, removed: unknown): unknown[] {
  const gone = asList(removed);
  const values = new Set(gone.map(valueOf).filter((value) => typeof value === 'string'));
  return asList(current).filter((element) => {
    const value = valueOf(element);
    return !(typeof value === 'string' ? values.has(value) : gone.some((one) => isSameJson(one, element)));
  });
}

const valueOf = (element: unknown) => (isObject(element) ? element['value'] : element);

/** One value at most is the preferred one: that of which it was said last (RFC 7644, section 3.5.2). */
export function keepOnePrimary(elements: unknown[], changed: Iterable<unknown>): unknown[] {
  const last = [...changed].findLast(isPrimary);
  if (last === undefined) return elements;
  return elements.map((element) => (element !== last && isPrimary(element) ? { ...(element as JsonObject), primary: false } : element));
}

const isPrimary = (element: unknown) => isObject(element) && element['primary'] === true;

/** The same for what is the same: the order of names says nothing. */
const textOf = (element: unknown) => JSON.stringify(inOrder(element));

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, inner]) => [name, inOrder(inner)]);
}
