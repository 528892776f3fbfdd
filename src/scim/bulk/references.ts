import { parseJson, isObject, type JsonObject, emptyFor, getOwn, setOwn } from '../json.ts';
import { invalidSyntax } from '../errors.ts';

/** Returns the ID of the resource that the request creates with this `bulkId`. Throws if there is none. */
export type Resolve = (bulkId: string) => string;

/** Resolves a value that consists of one reference. */
export const resolveReference = (text: string, resolve: Resolve) => (text.startsWith(prefix) ? resolve(text.slice(prefix.length)) : text);

/** Replaces all references in an operation's data with IDs; in a PATCH also those in paths. Values without references are not copied. */
export function resolveReferences(data: JsonObject, { isPatch }: { isPatch: boolean }, resolve: Resolve): JsonObject {
  const resolved = resolveWithin(data, resolve, 0) as JsonObject;
  if (!isPatch) return resolved;
  return mapNamed(resolved, 'operations', (operations) =>
    Array.isArray(operations)
      ? mapItems(operations, (operation) =>
          isObject(operation) ? mapNamed(operation, 'path', (path) => resolveInPath(path, resolve)) : operation,
        )
      : operations,
  );
}

function resolveWithin(value: unknown, resolve: Resolve, depth: number): unknown {
  if (typeof value === 'string') return resolveReference(value, resolve);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) throw invalidSyntax(`data is nested deeper than ${maxDepth} levels (fixed limit).`);
  if (Array.isArray(value)) return mapItems(value, (item) => resolveWithin(item, resolve, depth + 1));
  return mapEntries(value as JsonObject, (_name, inner) => resolveWithin(inner, resolve, depth + 1));
}

/** `members[value eq "bulkId:ada"]` */
function resolveInPath(path: unknown, resolve: Resolve): unknown {
  if (typeof path !== 'string' || path.length > maxPathLength) return path;
  return path.replaceAll(literal, (token) => {
    const text = token.startsWith('"') ? (parseJson(token) as string | undefined) : token;
    return text?.startsWith(prefix) ? JSON.stringify(resolveReference(text, resolve)) : token;
  });
}

const mapNamed = (object: JsonObject, wanted: string, map: (value: unknown) => unknown) =>
  mapEntries(object, (name, value) => (name.toLowerCase() === wanted ? map(value) : value));

function mapItems(items: unknown[], map: (item: unknown) => unknown): unknown[] {
  let mapped = items;
  for (const [index, item] of items.entries()) {
    const changed = map(item);
    if (changed === item) continue;
    if (mapped === items) mapped = [...items];
    mapped[index] = changed;
  }
  return mapped;
}

function mapEntries(object: JsonObject, map: (name: string, value: unknown) => unknown): JsonObject {
  let mapped = object;
  for (const name of Object.keys(object)) {
    const value = getOwn(object, name);
    const changed = map(name, value);
    if (changed === value) continue;
    if (mapped === object) mapped = copyShallow(object);
    setOwn(mapped, name, changed);
  }
  return mapped;
}

/** `__proto__` is treated like any other name. */
function copyShallow(object: JsonObject): JsonObject {
  const copy = emptyFor(object);
  for (const name of Object.keys(object)) setOwn(copy, name, getOwn(object, name));
  return copy;
}

const prefix = 'bulkId:';
const maxDepth = 100;
/** Longer paths are rejected when they are parsed. */
const maxPathLength = 10_000;
/** A string, even an unterminated one, so that nothing is scanned twice; or a reference with missing quotes. */
const literal = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|(?<=\s)bulkId:[^\s\]()"]+/g;
