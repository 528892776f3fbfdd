import { type Budget, countTerms, countValues, createBudget, weighComparisons, weighNames, weighSearch } from '../budget.ts';
import { isObject, isSameJson, type JsonObject, copyJson, findName, getOwn, hasNames, setOwn } from '../json.ts';
import { checkSize } from '../resource/size-limits.ts';
import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { findAttribute, findExtension, printPath, withoutSub } from '../schema/resolve-path.ts';
import { type PatchContext, type ValueIndexes, addValues, keepOnePrimary, removeValues, toList } from './list-values.ts';
import { createElement, keepFilterValues, mergeSubAttributes } from './create-element.ts';
import type { PatchOperation, SetOperation } from './operation.ts';
import { listSchemas } from '../resource/check-schemas.ts';
import { noTarget } from '../errors.ts';
import { createElementTest } from '../filter/matches.ts';
import type { Target } from '../filter/filter.ts';

/**
 * Returns the resource after all operations (RFC 7644, section 3.5.2). The original is unchanged and shares unchanged values with the
 * result, so the cost of a PATCH depends on what it changes, not on the size of the resource.
 */
export function applyPatch(
  resource: JsonObject,
  operations: PatchOperation[],
  type: ResourceType,
  budget: Budget = createBudget(),
): JsonObject {
  budget.spend(3 * weighNames(Object.keys(resource).length));
  const patched = { ...resource };
  const copies = new WeakSet<object>();
  const valueIndexes: ValueIndexes = new WeakMap();
  for (const operation of operations) apply(patched, operation, { type, budget, valueIndexes, copies });
  const schemas = listSchemas(patched, type);
  if (!isSameJson(schemas, listSchemas(resource, type))) setOwn(patched, 'schemas', schemas);
  checkSize(patched, type.name, { before: resource, budget });
  return patched;
}

/** Changes the resource in place. */
export function applyOperations(
  resource: JsonObject,
  operations: PatchOperation[],
  type: ResourceType,
  budget: Budget = createBudget(),
): void {
  const valueIndexes: ValueIndexes = new WeakMap();
  for (const operation of operations) apply(resource, operation, { type, budget, valueIndexes });
}

interface ApplyContext {
  type: ResourceType;
  budget: Budget;
  valueIndexes: ValueIndexes;
  /** The values that may be changed in place. Without it, all may be. */
  copies?: WeakSet<object>;
}

function apply(resource: JsonObject, operation: PatchOperation, applying: ApplyContext): void {
  const { type, budget, valueIndexes } = applying;
  const { extension, attribute } = locate(resource, operation, applying);
  if (attribute === undefined) return void delete resource[extension!];
  const holder = extension === undefined ? resource : getOwn(resource, extension);
  if (!isObject(holder) && operation.op === 'remove') return;
  const object = isObject(holder) ? (holder === resource ? holder : copyOnce(holder, (value) => ({ ...value }), applying)) : {};
  const definition = findAttribute(withoutSub(operation.target.path), type);
  const name = definition?.name ?? spell(object, attribute, budget);
  const current = copyOnce(getOwn(object, name), copyJson, applying);
  const value = changeValue(current, operation, { definition, type, budget, valueIndexes });
  if (typeof value === 'object' && value !== null) applying.copies?.add(value);
  if (value === undefined) delete object[name];
  else setOwn(object, name, value);
  if (extension === undefined) return;
  budget.spend(weighNames(Object.keys(object).length));
  if (hasNames(object)) setOwn(resource, extension, object);
  else delete resource[extension];
}

/** Copies the value unless it has been copied for this PATCH: until then it belongs to the original resource. */
function copyOnce<Value>(value: Value, copy: (value: Value) => unknown, { budget, copies }: ApplyContext): Value {
  if (typeof value !== 'object' || value === null || !copies || copies.has(value)) return value;
  budget.spend(5 * countValues(value));
  const copied = copy(value) as Value & object;
  copies.add(copied);
  return copied;
}

/** For an unknown URN, only the resource shows whether the last part is an attribute or belongs to the extension's name. */
function locate(resource: JsonObject, operation: PatchOperation, { type, budget }: ApplyContext): AttributePath {
  const { path, filter } = operation.target;
  const { extension, attribute, sub } = path;
  if (extension === undefined || attribute === undefined || findExtension(extension, type)) return path;
  const whole = spell(resource, `${extension}:${attribute}`, budget);
  if (Object.hasOwn(resource, whole)) return { attribute: whole };
  const there = spell(resource, extension, budget);
  const isWhole = sub === undefined && !filter && isObject(operation.value) && !Object.hasOwn(resource, there);
  return isWhole ? { attribute: whole } : { extension: there, attribute };
}

function spell(object: JsonObject, name: string, budget: Budget): string {
  budget.spend(weighSearch(Object.keys(object).length, name));
  return findName(object, name) ?? name;
}

/** Returns the new value of an attribute, or undefined if nothing is left. Changes the current value in place. */
function changeValue(current: unknown, operation: PatchOperation, context: PatchContext): unknown {
  const { path, filter } = operation.target;
  const isWhole = path.sub === undefined && !filter;
  if (Array.isArray(current) && (operation.op !== 'add' || !isWhole)) context.valueIndexes.delete(current);
  if (operation.op !== 'remove') return isWhole ? setWhole(current, operation, context) : changeElements(current, operation, context);
  if (!isWhole) return removeElements(current, operation.target, context);
  return operation.value === undefined ? undefined : removeValues(current, toList(operation.value), context.budget);
}

/** For a complex attribute, sets the given sub-attributes and keeps the others. */
function setWhole(current: unknown, { op, value }: SetOperation, context: PatchContext): unknown {
  const { definition, budget } = context;
  const isList = definition ? definition.multiValued : Array.isArray(value) || (op === 'add' && Array.isArray(current));
  if (isList && op === 'add') return addValues(toList(current), toList(value), context);
  if (isList || !isObject(value)) return copyJson(isList ? toList(value) : value);
  const object = isObject(current) && !(definition && isReplacement(current, value)) ? current : {};
  mergeSubAttributes(object, value, budget);
  return Object.keys(object).length > 0 ? object : undefined;
}

/** With another manager, the attributes of the previous manager no longer apply. */
const isReplacement = (current: JsonObject, given: JsonObject) =>
  Object.hasOwn(given, 'value') && !isSameJson(getOwn(current, 'value'), given['value']);

/** Changes the selected values, or a sub-attribute of each. If none is selected, one is created (RFC 7644, errata 7122 and 8097). */
function changeElements(current: unknown, change: SetOperation, context: PatchContext): unknown {
  const { definition, budget } = context;
  const { target, value } = change;
  const isList = definition?.multiValued ?? (Array.isArray(current) || (current === undefined && target.filter !== undefined));
  const elements = toList(current);
  const chosen = selectElements(elements, target, context);
  if (chosen.length === 0) {
    if (!isList && elements.length > 0) throw noTarget(`${printPath(withoutSub(target.path))} does not match the filter.`);
    const created = createElement(change, elements, context);
    if (created === undefined) return current;
    chosen.push(elements.push(created) - 1);
  } else {
    budget.spend(4 * countValues(value) * chosen.length);
    for (const index of chosen) elements[index] = changeElement(elements[index], change, { ...context, isList });
  }
  const last = elements[chosen.at(-1)!];
  if (definition && isList && saysPrimary(change) && isObject(last) && last['primary'] === true) keepOnePrimary(elements, last);
  return isList ? elements : elements[0];
}

function changeElement(
  element: unknown,
  { op, target, value }: SetOperation,
  { isList, budget }: PatchContext & { isList: boolean },
): unknown {
  const { path, filter } = target;
  if (path.sub !== undefined) return setPart(element, path.sub, value, budget);
  if (!isObject(element) || !isObject(value)) return copyJson(value);
  const object = op === 'replace' && isList ? keepFilterValues(element, filter, budget) : element;
  mergeSubAttributes(object, value, budget);
  return object;
}

function setPart(element: unknown, sub: string, value: unknown, budget: Budget): unknown {
  if (isObject(element)) {
    const names = Object.keys(element);
    budget.spend(weighSearch(names.length, sub));
    setOwn(element, findName(element, sub, names) ?? sub, copyJson(value));
  } else if (sub.toLowerCase() === 'value') return copyJson(value);
  else throw noTarget(`${sub} cannot be set: the current value has no sub-attributes.`);
  return element;
}

const saysPrimary = ({ target: { path, filter }, value }: SetOperation) =>
  path.sub === undefined ? isObject(value) && Object.hasOwn(value, 'primary') : path.sub === 'primary' || filter !== undefined;

/** Removes the selected values, or a sub-attribute of each. Values that become empty are removed. */
function removeElements(current: unknown, target: Target, context: PatchContext): unknown {
  const elements = toList(current);
  if (target.path.sub !== undefined) context.budget.spend(15 * elements.length);
  const chosen = new Set(selectElements(elements, target, context));
  const rest = elements.filter((element, index) => !chosen.has(index) || keepsParts(element, target.path.sub, context.budget));
  if (rest.length === 0) return undefined;
  return Array.isArray(current) ? rest : rest[0];
}

/** Removes the sub-attribute and returns whether anything else is left. */
function keepsParts(element: unknown, sub: string | undefined, budget: Budget): boolean {
  if (sub === undefined) return false;
  if (!isObject(element)) return sub.toLowerCase() !== 'value';
  const names = Object.keys(element);
  budget.spend(weighSearch(names.length, sub));
  const name = findName(element, sub, names);
  if (name === undefined) return names.length > 0;
  delete element[name];
  return names.length > 1;
}

/** The indexes of the values that match the target's filter. Without a filter, all values match. */
function selectElements(elements: unknown[], { path, filter }: Target, { type, budget }: PatchContext): number[] {
  budget.spend(filter ? (weighComparisons(elements) + 12) * countTerms(filter) : 5 * elements.length);
  if (!filter) return [...elements.keys()];
  const isSelected = createElementTest(filter, { outer: withoutSub(path), type });
  const chosen: number[] = [];
  for (const [index, element] of elements.entries()) if (isSelected(element)) chosen.push(index);
  return chosen;
}
