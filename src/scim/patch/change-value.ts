import { isObject, isSameJson, type JsonObject, copyJson, getOwn } from '../json.ts';
import { changeElements, removeElements } from './change-elements.ts';
import { type PatchContext, addValues, removeValues, toList } from './list-values.ts';
import { mergeSubAttributes } from './create-element.ts';
import type { PatchOperation } from './operation.ts';

type Change = Extract<PatchOperation, { op: 'add' | 'replace' }>;

/** Returns the new value of an attribute, or undefined if nothing is left. Changes the current value in place. */
export function changeValue(current: unknown, operation: PatchOperation, context: PatchContext): unknown {
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
