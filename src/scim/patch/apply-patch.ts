import { createBudget, type Budget } from '../budget.ts';
import { withoutSub } from '../filter/attribute-of.ts';
import { isObject, isSameJson, type JsonObject, copyJson, findName, getOwn, hasNames, setOwn } from '../json.ts';
import { checkSize } from '../resource/size-limits.ts';
import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { findAttribute, findExtension } from '../schema/resolve-path.ts';
import { type PatchContext, type ValueIndexes, addValues, removeValues, toList } from './list-values.ts';
import { countValues, weighNames, weighSearch } from '../weigh.ts';
import { changeElements, removeElements } from './change-elements.ts';
import { mergeSubAttributes } from './create-element.ts';
import type { PatchOperation } from './read-patch.ts';
import { listSchemas } from '../resource/check-schemas.ts';

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

type Change = Extract<PatchOperation, { op: 'add' | 'replace' }>;

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
function setWhole(current: unknown, { op, value }: Change, context: PatchContext): unknown {
  const { definition, budget } = context;
  const isList = definition ? definition.multiValued : Array.isArray(value) || (op === 'add' && Array.isArray(current));
  if (isList && op === 'add') return addValues(toList(current), toList(value), context);
  if (isList || !isObject(value)) return copyJson(isList ? toList(value) : value);
  const object = isObject(current) && !(definition && isAnother(current, value)) ? current : {};
  mergeSubAttributes(object, value, budget);
  return Object.keys(object).length > 0 ? object : undefined;
}

/** With another manager, the attributes of the previous manager no longer apply. */
const isAnother = (current: JsonObject, given: JsonObject) =>
  Object.hasOwn(given, 'value') && !isSameJson(getOwn(current, 'value'), given['value']);
