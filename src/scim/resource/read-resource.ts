import type { Budget } from '../budget.ts';
import { invalidSyntax } from '../errors.ts';
import { type JsonObject, copyJson, getOwn, isObject, isSameJson, setOwn } from '../json.ts';
import { applyOperations } from '../patch/apply-patch.ts';
import { toOperations } from '../patch/to-operations.ts';
import type { ResourceType } from '../schema/attribute.ts';
import { findAttribute, printPath } from '../schema/resolve-path.ts';
import { checkSchemas, listSchemas } from './check-schemas.ts';
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

/** Empty text counts as no ID. */
export function readExternalId(resource: JsonObject): string | undefined {
  const id = getOwn(resource, 'externalId');
  return typeof id === 'string' && id !== '' ? id : undefined;
}
