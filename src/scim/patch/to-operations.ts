import { invalidValue, mutability } from '../errors.ts';
import { isObject, isUnset, findName } from '../json.ts';
import { checkUnknown } from '../resource/size-limits.ts';
import { isIgnoredAttribute, readEntries, type ReadEntriesOptions } from '../resource/read-entries.ts';
import { readElement, readValue } from '../resource/read-value.ts';
import type { Attribute, ResourceType } from '../schema/attribute.ts';
import { findAttribute, printPath, withoutSub } from '../schema/resolve-path.ts';
import { listFilterNames } from './create-element.ts';
import type { PatchOperation, SetOperation } from './operation.ts';
import type { Target } from '../filter/filter.ts';

/** An operation as the identity provider sent it, with its target resolved. */
export interface RequestedOperation {
  op: PatchOperation['op'];
  target: Target;
  value?: unknown;
}

/** Normalizes values to the types of their attributes. Setting an attribute to "not set" becomes a removal. */
export function toOperations(requested: RequestedOperation, reading: ReadEntriesOptions): PatchOperation[] {
  const { type } = reading;
  const { op, target, value } = requested;
  if (isIgnoredAttribute(target.path, type)) return [];
  if (op !== 'remove' && value === undefined) throw invalidValue(`${op} of ${printPath(target.path)} requires a value.`);
  if (target.path.attribute === undefined) return toExtensionOperations(requested, reading);
  const attribute = findAttribute(target.path, type);
  if (op === 'remove') return toRemoval(requested, attribute);
  return attribute ? toChange({ op, target, value }, { attribute, reading }) : toUnknownChange({ op, target, value });
}

function toExtensionOperations({ op, target, value }: RequestedOperation, reading: ReadEntriesOptions): PatchOperation[] {
  if (isObject(value)) {
    const entries = readEntries({ [target.path.extension!]: value }, reading);
    return entries.flatMap((entry) => toOperations({ op, ...entry }, reading));
  }
  if (op !== 'remove' && value !== null) throw invalidValue(`${printPath(target.path)} must be an object.`);
  return op === 'add' ? [] : [{ op: 'remove', target }];
}

function toRemoval({ target, value }: Pick<RequestedOperation, 'target' | 'value'>, attribute: Attribute | undefined): PatchOperation[] {
  const name = printPath(target.path);
  if (attribute?.required) throw mutability(`${name} is required and cannot be removed; replace it instead.`);
  const isWhole = target.path.sub === undefined && !target.filter;
  const isList = attribute?.multiValued ?? value !== null;
  // Removing an empty list, or null, removes nothing.
  if (!isWhole || value === undefined || !isList) return [{ op: 'remove', target }];
  if (!attribute) checkUnknown(value, name);
  const values = attribute ? readValue(value, attribute, name) : value;
  return isUnset(values) ? [] : [{ op: 'remove', target, value: values }];
}

function toChange(change: SetOperation, { attribute, reading }: { attribute: Attribute; reading: ReadEntriesOptions }): PatchOperation[] {
  const { op, target, value } = change;
  const { type } = reading;
  if (op === 'add' && isValueOfList(target, type)) return toOperations({ op, target: { path: withoutSub(target.path) }, value }, reading);
  if (clearsReference(change, type)) return toRemoval({ target: { path: withoutSub(target.path) } }, undefined);
  const isElement = target.filter !== undefined && target.path.sub === undefined;
  const isList = attribute.multiValued && !isElement;
  const read = (isElement ? readElement : readValue)(value, attribute, printPath(target.path));
  const unset = isList ? [] : unsetParts(change, attribute);
  if (read !== undefined) return [...unset, { op, target, value: read }];
  if (op === 'add' && isList) return [];
  // An unset `active` must not activate the user.
  if (target.path.extension === undefined && target.path.attribute === 'active') return [];
  // A manager without a value means no manager, whatever else is given.
  const isPartial = unset.length > 0 && (attribute.multiValued || unset.every(({ target: { path } }) => path.sub !== 'value'));
  return isPartial ? unset : toRemoval({ target }, attribute);
}

/** Adding to `emails.value` adds an address; it does not change all addresses. */
function isValueOfList({ path, filter }: Target, type: ResourceType): boolean {
  return !filter && path.sub === 'value' && findAttribute(withoutSub(path), type)?.multiValued === true;
}

/** A manager without a value means no manager. */
function clearsReference({ target: { path }, value }: SetOperation, type: ResourceType): boolean {
  return path.sub === 'value' && (value === '' || isUnset(value)) && findAttribute(withoutSub(path), type)?.multiValued === false;
}

/** Unsets parts such as `{"givenName": null}`, except those that the filter matches by. */
function unsetParts({ target, value }: SetOperation, { subAttributes = [] }: Attribute): PatchOperation[] {
  const object: unknown = Array.isArray(value) ? value[0] : value;
  if (!isObject(object)) return [];
  const kept = listFilterNames(target.filter);
  return subAttributes.flatMap(({ name: sub }) => {
    const given = findName(object, sub);
    const isGone = given !== undefined && isUnset(object[given]) && !kept.includes(sub);
    return isGone ? [{ op: 'remove' as const, target: { ...target, path: { ...target.path, sub } } }] : [];
  });
}

function toUnknownChange(change: SetOperation): PatchOperation[] {
  const { op, target, value } = change;
  checkUnknown(value, printPath(target.path));
  if (op === 'add' && Array.isArray(value) && value.length === 0) return [];
  return isUnset(value) ? [{ op: 'remove', target }] : [change];
}
