import { noTarget } from '../errors.ts';
import type { Filter } from '../filter/filter.ts';
import { matchesElement } from '../filter/matches.ts';
import { copyJson, emptyObject, isObject, isUnset, nameIn, type JsonObject } from '../json.ts';
import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { findAttribute } from '../schema/resolve.ts';
import { addMissing, keepOnePrimary, removeAlike } from './elements.ts';
import type { PatchOperation } from './operation.ts';

/** Applies all operations to a copy (RFC 7644, section 3.5.2, with errata 7122 and 8097). If one is refused, none has happened. */
export function applyPatch(resource: JsonObject, operations: PatchOperation[], type: ResourceType): JsonObject {
  const patched = copyJson(resource);
  for (const operation of operations) applyOperation(patched, operation, type);
  return patched;
}

function applyOperation(resource: JsonObject, operation: PatchOperation, type: ResourceType): void {
  const { extension, attribute } = operation.target.path;
  if (extension === undefined) return change(resource, operation, type);
  const key = nameIn(resource, extension);
  if (attribute === undefined) return void delete resource[key];
  const holder = isObject(resource[key]) ? resource[key] : emptyObject();
  change(holder, operation, type);
  if (Object.keys(holder).length > 0) resource[key] = holder;
  else delete resource[key];
}

function change(holder: JsonObject, operation: PatchOperation, type: ResourceType): void {
  const { path, filter } = operation.target;
  const key = nameIn(holder, path.attribute!);
  const changed = filter ? changeMatching(holder[key], operation, filter, type) : changeAttribute(holder[key], operation, type);
  if (changed === undefined || (Array.isArray(changed) && changed.length === 0) || isEmptyObject(changed)) delete holder[key];
  else holder[key] = changed;
}

function changeAttribute(current: unknown, operation: PatchOperation, type: ResourceType): unknown {
  const { path } = operation.target;
  if (path.sub !== undefined) return changeSub(current, path.sub, operation, type);
  if (operation.op === 'remove') return operation.value === undefined ? undefined : removeAlike(current, operation.value);
  const value = copyJson(operation.value);
  const isList = findAttribute(path, type)?.multiValued ?? Array.isArray(current);
  if (isList) return operation.op === 'add' ? addMissing(current, value) : toList(value);
  // Of an object only what is given changes, in a replacement too.
  return isObject(current) && isObject(value) ? merge(current, value) : value;
}

/** Of a list, every value's. */
function changeSub(current: unknown, sub: string, operation: PatchOperation, type: ResourceType): unknown {
  const { path } = operation.target;
  const isList = findAttribute(withoutSub(path), type)?.multiValued ?? Array.isArray(current);
  if (isList) return changeElements(toList(current), () => true, operation, undefined);
  return changePart(isObject(current) ? current : emptyObject(), sub, operation);
}

function changeMatching(current: unknown, operation: PatchOperation, filter: Filter, type: ResourceType): unknown {
  const place = { outer: withoutSub(operation.target.path), type };
  return changeElements(toList(current), (element) => matchesElement(filter, element, place), operation, filter);
}

function changeElements(
  elements: unknown[],
  isMeant: (element: unknown) => boolean,
  operation: PatchOperation,
  filter: Filter | undefined,
): unknown[] {
  const { sub } = operation.target.path;
  const meant = new Set(elements.filter(isMeant));
  if (operation.op === 'remove' && sub === undefined) return elements.filter((element) => !meant.has(element));
  if (meant.size === 0 && operation.op !== 'remove') {
    const made = changeElement(filter ? describe(filter) : {}, { ...operation, op: 'add' });
    return keepOnePrimary([...elements, made], new Set([made]));
  }
  const changed = new Map([...meant].map((element) => [element, changeElement(element, operation)]));
  const kept = elements.map((element) => changed.get(element) ?? element).filter((element) => !isEmptyObject(element));
  return keepOnePrimary(kept, new Set(changed.values()));
}

function changeElement(element: unknown, operation: PatchOperation): unknown {
  const { sub } = operation.target.path;
  if (sub !== undefined) return changePart(isObject(element) ? element : emptyObject(), sub, operation);
  const value = copyJson(operation.value);
  return operation.op === 'add' && isObject(element) && isObject(value) ? merge(element, value) : value;
}

function changePart(holder: JsonObject, sub: string, operation: PatchOperation): JsonObject {
  const key = nameIn(holder, sub);
  const changed = merge(emptyObject(), holder);
  if (operation.op === 'remove') delete changed[key];
  else changed[key] = copyJson(operation.value);
  return changed;
}

/** What an element must have to match: it is made so if there is none (`emails[type eq "work"].value`). */
function describe(filter: Filter): JsonObject {
  if (filter.kind === 'compare' && filter.operator === 'eq' && filter.path.attribute !== undefined)
    return { [filter.path.attribute]: filter.value };
  if (filter.kind === 'and') return filter.terms.reduce<JsonObject>((made, term) => ({ ...made, ...describe(term) }), {});
  throw noTarget('Nothing matches the filter in the path, and from this filter no value can be made: use eq alone.');
}

const merge = (current: JsonObject, added: JsonObject): JsonObject => {
  const merged = emptyObject();
  for (const [name, value] of [...Object.entries(current), ...Object.entries(added)]) merged[name] = value;
  return merged;
};
const toList = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : [value].filter((item) => !isUnset(item)));
const isEmptyObject = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
const withoutSub = ({ sub: _sub, ...path }: AttributePath): AttributePath => path;
