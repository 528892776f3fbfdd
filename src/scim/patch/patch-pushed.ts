import { type Budget, weighNames } from '../budget.ts';
import { type JsonObject, findName, getOwn, isObject, setOwn } from '../json.ts';
import { isMembers, withoutMembers, withoutPasswords } from '../pushed.ts';
import { isPasswordName } from '../resource/read-entries.ts';
import { checkSize, checkUnknown } from '../resource/size-limits.ts';
import type { ResourceType } from '../schema/attribute.ts';

/** An operation on the document as it was pushed. Without a path, the value is an object with attributes. */
export interface PushedOperation {
  op: 'set' | 'remove';
  path?: string;
  value?: unknown;
}

/** Returns what the operation does to the pushed document: as in Polis, everything but `remove` sets. There may be 100,000 members. */
export function toPushedOperation(op: string, path: string, value: unknown, type: ResourceType): PushedOperation[] {
  if (isPasswordName(path) || isMembers(path, type)) return [];
  const kept = withoutPasswords(path === '' && isObject(value) ? withoutMembers(value, type) : value);
  return [{ op: op === 'remove' ? 'remove' : 'set', ...(path !== '' && { path }), ...(kept !== undefined && { value: kept }) }];
}

interface Patching {
  /** The resource after the PATCH. */
  resource: JsonObject;
  type: ResourceType;
  budget: Budget;
}

/**
 * Patches the document as it was pushed, as Polis does. Where Polis has no rule, the attribute takes the form that it has in the resource.
 * Shares unchanged values with the former document.
 */
export function patchPushed(former: JsonObject, operations: PushedOperation[], patching: Patching): JsonObject {
  const raw = { ...former };
  for (const { op, path, value } of operations) {
    if (path !== undefined) change(raw, { op, path, value }, patching);
    else if (isObject(value)) for (const name of Object.keys(value)) change(raw, { op, path: name, value: value[name] }, patching);
  }
  delete raw['id'];
  checkSize(raw, patching.type.name, { before: former, budget: patching.budget });
  return raw;
}

/** `emails[type eq "work"].value` */
const elementPath = /^(\w+)\[(\w+)\s+eq\s+"([^"]+)"\]\.(\w+)$/;
const plainPath = /^[\w$-]+(?:\.[\w$-]+)*$/;
const firstName = /^[\w$-]+/;

/** Changes the document in place, and copies what it contains. */
function change(raw: JsonObject, { op, path, value }: PushedOperation & { path: string }, patching: Patching): void {
  const { type, budget } = patching;
  if (isPasswordName(path)) return;
  budget.spend(weighNames(Object.keys(raw).length) + path.length);
  if (value !== undefined) checkUnknown(value, path);
  const [, list, key, wanted, part] = (op === 'set' && elementPath.exec(path)) || [];
  if (list !== undefined) return setElement(raw, { list, key: key!, wanted: wanted!, part: part!, value }, budget);
  const names = toNames(raw, path, value, type);
  const canRemove = op === 'remove' && value === undefined;
  if (names && (op === 'set' || canRemove) && setWithin(raw, names, op === 'set' ? value : undefined, budget)) return;
  const [name] = names ?? firstName.exec(path) ?? [];
  if (name !== undefined) takeForm(raw, name, patching);
}

/** The names that lead to the value, from the outside in. */
function toNames(raw: JsonObject, path: string, value: unknown, { schema }: ResourceType): string[] | undefined {
  if (!/^urn:/i.test(path)) return plainPath.test(path) ? path.split('.') : undefined;
  if (findName(raw, path) !== undefined || isObject(value)) return [path];
  const colon = path.lastIndexOf(':');
  const [urn, rest] = [path.slice(0, colon), path.slice(colon + 1)];
  if (!plainPath.test(rest)) return undefined;
  return urn.toLowerCase() === schema.id.toLowerCase() ? rest.split('.') : [urn, ...rest.split('.')];
}

/** Returns false if the path leads through a list. An undefined value is removed. */
function setWithin(holder: JsonObject, [first, ...rest]: string[], value: unknown, budget: Budget): boolean {
  const name = findName(holder, first!) ?? first!;
  const current = getOwn(holder, name);
  budget.spend(isObject(current) ? weighNames(Object.keys(current).length) : 1);
  if (rest.length === 0) {
    const isExtension = /^urn:/i.test(name) && isObject(current) && isObject(value);
    if (value === undefined) delete holder[name];
    else setOwn(holder, name, isExtension ? { ...current, ...value } : value);
    return true;
  }
  if (Array.isArray(current)) return false;
  const inner = isObject(current) ? { ...current } : {};
  if (!setWithin(inner, rest, value, budget)) return false;
  if (value !== undefined || isObject(current)) setOwn(holder, name, inner);
  return true;
}

interface ElementChange {
  list: string;
  key: string;
  wanted: string;
  part: string;
  value: unknown;
}

/** Changes the first element that fits, or adds one. */
function setElement(raw: JsonObject, { list, key, wanted, part, value }: ElementChange, budget: Budget): void {
  const name = findName(raw, list) ?? list;
  const current = getOwn(raw, name);
  const elements: unknown[] = Array.isArray(current) ? [...(current as unknown[])] : [];
  budget.spend(elements.length);
  const found = elements.findIndex((element) => isObject(element) && getOwn(element, key) === wanted);
  const element: JsonObject = { ...(found < 0 ? { [key]: wanted } : (elements[found] as JsonObject)) };
  setOwn(element, part, value);
  elements[found < 0 ? elements.length : found] = element;
  setOwn(raw, name, elements);
}

function takeForm(raw: JsonObject, attribute: string, { resource }: Patching): void {
  const name = findName(raw, attribute) ?? attribute;
  const source = findName(resource, attribute);
  if (source === undefined) delete raw[name];
  else setOwn(raw, name, resource[source]);
}
