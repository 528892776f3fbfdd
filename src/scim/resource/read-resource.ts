import type { Budget } from '../budget.ts';
import { invalidSyntax, invalidValue } from '../errors.ts';
import { type JsonObject, copyJson, findName, getOwn, isObject, isSameJson, isUnset, setOwn } from '../json.ts';
import { applyOperations } from '../patch/apply-patch.ts';
import { toOperations } from '../patch/to-operations.ts';
import type { ResourceType } from '../schema/attribute.ts';
import { findAttribute, findExtension, printPath } from '../schema/resolve-path.ts';
import { checkSize, checkUnknown } from './size-limits.ts';
import { isIgnoredAttribute, readEntries, type Entry } from './read-entries.ts';
import { duplicateName, readValue } from './read-value.ts';

/** Reads the body of a POST or PUT. */
export function readBody(body: unknown, type: ResourceType, budget?: Budget): Entry[] {
  if (!isObject(body)) throw invalidSyntax(`The body must be a JSON object: a SCIM ${type.name.toLowerCase()}.`);
  checkSchemas(body, type);
  return readEntries(body, { type, budget });
}

/** The resource in the spelling and form of its type. Unknown attributes stay as sent; unset attributes are omitted. */
export function toResource(entries: Entry[], type: ResourceType, budget?: Budget): JsonObject {
  const resource: JsonObject = {};
  const given = entries.filter(({ target }) => !isIgnoredAttribute(target.path, type));
  const spellings = new Map<string, string>();
  for (const entry of given) if (isWhole(entry, type)) place(resource, entry, { type, spellings });
  const parts = given.filter((entry) => !isWhole(entry, type));
  applyOperations(
    resource,
    parts.flatMap(({ target, value }) => toOperations({ op: 'add', target, value }, { type, budget })),
    type,
    budget,
  );
  const whole = { schemas: listSchemas(resource, type), ...resource };
  checkSize(whole, type.name);
  return whole;
}

const isWhole = ({ target: { path, filter } }: Entry, { extensions }: ResourceType) =>
  path.sub === undefined && !filter && (path.extension === undefined || extensions.some(({ id }) => id === path.extension));

interface Placing {
  type: ResourceType;
  /** Existing names by their lower-case form. */
  spellings: Map<string, string>;
}

function place(resource: JsonObject, { target: { path }, value }: Entry, { type, spellings }: Placing): void {
  const { extension, attribute: name } = path;
  // A whole extension gets here only if it is null.
  if (name === undefined) return;
  const printed = printPath(path);
  const attribute = findAttribute(path, type);
  if (!attribute) checkUnknown(value, name);
  const kept = attribute ? readValue(value, attribute, printed) : copyJson(value);
  if (kept === undefined) return;
  if (extension !== undefined && !Object.hasOwn(resource, extension)) setOwn(resource, extension, {});
  const holder = extension === undefined ? resource : (resource[extension] as JsonObject);
  // The attribute may also have been given without its extension, or with the URN of the core schema.
  const key = printed.toLowerCase();
  const there = spellings.get(key) ?? name;
  if (Object.hasOwn(holder, there) && !isSameJson(holder[there], kept)) throw duplicateName(name);
  spellings.set(key, there);
  setOwn(holder, there, kept);
}

/** Empty text counts as no id. */
export function readExternalId(resource: JsonObject): string | undefined {
  const id = getOwn(resource, 'externalId');
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** SCIM 1.1 has one core schema for both types (OneLogin). */
const oldCore = 'urn:scim:schemas:core:1.0';

/** A body without `schemas` is accepted. A body that names only the schema of another type is rejected. Unknown URNs are ignored. */
function checkSchemas(body: JsonObject, type: ResourceType): void {
  const name = findName(body, 'schemas');
  const given = name === undefined ? undefined : body[name];
  if (isUnset(given)) return;
  const urns: unknown[] = Array.isArray(given) ? given : [given];
  if (!urns.every((urn) => typeof urn === 'string')) throw invalidValue('schemas must be an array of strings.');
  const isNamed = urns.some((urn) => [type.schema.id.toLowerCase(), oldCore].includes(urn.toLowerCase()));
  if (!isNamed) throw invalidSyntax(`schemas must be an array that contains ${type.schema.id}.`);
}

/** The schemas of a resource: its type's, and the extensions that it has values of. */
export function listSchemas(resource: JsonObject, type: ResourceType): string[] {
  const extensions = Object.keys(resource).filter((name) => findExtension(name, type) ?? (/^urn:/i.test(name) && isObject(resource[name])));
  return [type.schema.id, ...extensions];
}
