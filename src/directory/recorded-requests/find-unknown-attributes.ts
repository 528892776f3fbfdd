import { parsePath } from '../../scim/filter/parse-filter.ts';
import { type JsonObject, isObject } from '../../scim/json.ts';
import { readFields } from '../../scim/message.ts';
import { readEntries, type Entry } from '../../scim/resource/read-entries.ts';
import type { Attribute, AttributePath, ResourceType } from '../../scim/schema/attribute.ts';
import {
  attributesOf,
  findAttribute,
  findByName,
  findExtension,
  isSameUrn,
  printPath,
  withoutSub,
} from '../../scim/schema/resolve-path.ts';
import { resourceTypes } from '../../scim/schema/resource-types.ts';
import { findTypo } from '../../shared/suggest.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** An attribute that no schema of this service defines. It is stored as it was sent, and has no effect. */
interface UnknownAttribute {
  name: string;
  /** A known attribute with a similar name. */
  suggestion: string | undefined;
}

const maxReported = 10;
/** Real requests are far below. A larger one would delay other requests. */
const maxNames = 200;
const maxNameLength = 500;

/**
 * Finds the unknown attributes in the body of a POST, PUT or PATCH of one resource. They must be accepted, because identity providers send
 * attributes of their own, but one of them may be a typing error. Those with the URN of an unknown schema belong to that schema.
 */
export function findUnknownAttributes({ method, path, body, bodyState }: RecordedRequest): UnknownAttribute[] {
  const type = resourceTypes.find(({ endpoint }) => new RegExp(`^${endpoint}(/[^./?][^/?]*)?/?(\\?|$)`, 'i').test(path));
  if (!type || body === undefined || bodyState !== 'complete') return [];
  try {
    const sent: unknown = JSON.parse(body);
    const entries = method === 'PATCH' ? readOperations(sent, type) : readObject(sent, type);
    const found = new Map<string, UnknownAttribute>();
    for (const entry of entries) {
      for (const one of findUnknown(entry, type)) found.set(one.name, one);
      if (found.size >= maxReported) break;
    }
    return [...found.values()].slice(0, maxReported);
  } catch {
    // It is not valid SCIM, and the response says why.
    return [];
  }
}

const readObject = (value: unknown, type: ResourceType): Entry[] =>
  isObject(value) && Object.keys(value).length <= maxNames ? readEntries(value, { type }) : [];

function* readOperations(message: unknown, type: ResourceType): Generator<Entry> {
  const operations = isObject(message) ? readFields(message).get('operations') : undefined;
  if (!Array.isArray(operations) || operations.length > maxNames) return;
  for (const operation of operations.filter(isObject)) {
    const fields = readFields(operation);
    const [path, value] = [fields.get('path'), fields.get('value')];
    if (typeof path !== 'string' || path === '' || isSameUrn(path, type.schema.id)) yield* readObject(value, type);
    else if (path.length <= maxNameLength) yield { target: parsePath(path, type), value };
  }
}

function findUnknown({ target: { path }, value }: Entry, type: ResourceType): UnknownAttribute[] {
  const { extension, attribute, sub } = path;
  if (attribute === undefined || /^urn:/i.test(attribute)) return [];
  if (extension !== undefined && !findExtension(extension, type)) return [];
  const found = findAttribute(path, type);
  if (found) return findUnknownParts(value, path, found);
  const holder = sub === undefined ? undefined : findAttribute(withoutSub(path), type);
  const known = holder ? (holder.subAttributes ?? []) : attributesOf(extension, type);
  return [toUnknown(path, sub !== undefined && holder ? sub : attribute, known)];
}

/** Finds the unknown sub-attributes of a complex value, or of several. Salesforce repeats the attribute: `{"members": […]}`. */
function findUnknownParts(value: unknown, path: AttributePath, { subAttributes }: Attribute): UnknownAttribute[] {
  if (!subAttributes) return [];
  const names = new Set(
    [value]
      .flat()
      .filter(isObject)
      .flatMap((part: JsonObject) => Object.keys(part)),
  );
  return [...names]
    .filter((name) => !findByName(subAttributes, name) && name !== path.attribute)
    .slice(0, maxReported)
    .map((sub) => toUnknown({ ...path, sub }, sub, subAttributes));
}

const toUnknown = (path: AttributePath, typed: string, known: Attribute[]): UnknownAttribute => ({
  // Many JSON parsers reject a response with half of a surrogate pair.
  name: printPath(path).slice(0, maxNameLength).toWellFormed(),
  suggestion: findTypo(
    typed,
    known.map(({ name }) => name),
  ),
});
