import { type Budget, weigh } from './budget.ts';
import { type JsonObject, emptyFor, getOwn, isObject, isSameJson, setOwn } from './json.ts';
import { oldCore } from './resource/check-schemas.ts';
import { isPasswordName } from './resource/read-entries.ts';
import { type Size, checkSize, checkUnknown, fitsSize, sizeOf } from './resource/size-limits.ts';
import type { ResourceType } from './schema/attribute.ts';

/**
 * How a document that was pushed differs from the resource that was read from it, by top-level attributes: a resource has the spelling and
 * form of its schema, and no attributes that the service assigns. Applications see the document as it was pushed.
 */
export interface Pushed {
  /** Attributes that were pushed in another form, or that the resource does not have. */
  set?: JsonObject;
  /** Attributes of the resource that were not pushed. */
  unset?: string[];
  /** What an application was shown by Polis, or has set with its calls, if it does not follow from the resource. */
  shown?: Partial<Record<'email' | 'first_name' | 'last_name', string>>;
}

/** A resource, and how the document that it was read from differs. */
export interface Documents {
  resource: JsonObject;
  pushed?: Pushed | undefined;
}

export function sizeOfDocuments({ resource, pushed }: Documents, budget?: Budget): Size {
  const size = sizeOf(resource, budget);
  if (!pushed) return size;
  const more = sizeOf(pushed as JsonObject, budget);
  return { bytes: size.bytes + more.bytes, values: size.values + more.values };
}

/** The document as it was pushed. It shares its values with the resource. */
export function toRaw(resource: JsonObject, pushed: Pushed | undefined): JsonObject {
  if (!pushed) return resource;
  const raw = { ...resource };
  for (const name of pushed.unset ?? []) delete raw[name];
  for (const name of Object.keys(pushed.set ?? {})) setOwn(raw, name, pushed.set![name]);
  return raw;
}

/** Undefined if the document is the resource. */
export function comparePushed(resource: JsonObject, raw: JsonObject, budget?: Budget): Pushed | undefined {
  if (raw === resource) return undefined;
  const set = emptyFor(raw);
  const isSame = (name: string) => {
    const [one, other] = [raw[name], resource[name]];
    if (one === other) return true;
    budget?.spend(weigh(one));
    return isSameJson(one, other);
  };
  for (const name of Object.keys(raw)) if (!Object.hasOwn(resource, name) || !isSame(name)) setOwn(set, name, raw[name]);
  const unset = Object.keys(resource).filter((name) => !Object.hasOwn(raw, name));
  const [hasSet, hasUnset] = [Object.keys(set).length > 0, unset.length > 0];
  return hasSet || hasUnset ? { ...(hasSet && { set }), ...(hasUnset && { unset }) } : undefined;
}

/** A provider that sends back what it has read sends another `meta` each time. */
export const isSamePushed = (one: Pushed | undefined, other: Pushed | undefined): boolean =>
  one === other || isSameJson(withoutMeta(one), withoutMeta(other));

function withoutMeta({ set = {}, unset = [] }: Pushed = {}) {
  const { meta: _, ...rest } = set;
  return { set: rest, unset };
}

/** Reads the body of a POST or PUT, from which the resource was read. */
export function readPushed(body: JsonObject, resource: JsonObject, type: ResourceType, budget?: Budget): Pushed {
  const { id: _, ...raw } = withoutPasswords(withoutMembers(body, type), budget) as JsonObject;
  const pushed = comparePushed(resource, raw, budget) ?? {};
  // Whatever the resource has too was checked with it.
  if (!pushed.set) return pushed;
  for (const [name, value] of Object.entries(pushed.set)) checkUnknown(value, name);
  if (fitsSize(raw, type.name, budget)) return pushed;
  // A resource is not rejected for what the service itself assigns.
  const { groups: _groups, meta: _meta, ...needed } = raw;
  checkSize(needed, type.name, { ...(budget && { budget }) });
  return comparePushed(resource, needed, budget) ?? {};
}

/** The members of a group are rows. */
export const isMembers = (name: string, type: ResourceType): boolean =>
  type.name === 'Group' && /^members\b/i.test(withoutCoreSchema(name, type));

/** The core schema may be written before the name of an attribute, or around all of them. */
export function withoutMembers(object: JsonObject, type: ResourceType): JsonObject {
  const kept = { ...object };
  for (const [name, value] of Object.entries(kept)) {
    if (isMembers(name, type)) delete kept[name];
    else if (isObject(value) && isCoreSchema(name, type)) kept[name] = withoutMembers(value, type);
  }
  return kept;
}

const coreSchemasOf = ({ schema }: ResourceType) => [schema.id, oldCore].map((id) => id.toLowerCase());
const isCoreSchema = (name: string, type: ResourceType) => coreSchemasOf(type).includes(name.toLowerCase());

export function withoutCoreSchema(path: string, type: ResourceType): string {
  const start = coreSchemasOf(type).find((id) => path.toLowerCase().startsWith(`${id}:`));
  return start === undefined ? path : path.slice(start.length + 1);
}

/** Passwords are never stored. A value without any is returned as it is. */
export const withoutPasswords = (value: unknown, budget?: Budget): unknown =>
  hasPassword(value, budget) ? copyWithoutPasswords(value) : value;

function hasPassword(value: unknown, budget: Budget | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  budget?.spend(1);
  if (Array.isArray(value)) return value.some((item) => hasPassword(item, budget));
  for (const name in value) if (isPasswordName(name) || hasPassword((value as JsonObject)[name], budget)) return true;
  return false;
}

function copyWithoutPasswords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyWithoutPasswords);
  if (!isObject(value)) return value;
  const copy = emptyFor(value);
  for (const name of Object.keys(value)) if (!isPasswordName(name)) setOwn(copy, name, copyWithoutPasswords(getOwn(value, name)));
  return copy;
}
