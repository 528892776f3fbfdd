import { parseJson, isObject, type JsonObject, emptyFor, getOwn, setOwn } from '../json.ts';
import { invalidSyntax } from '../errors.ts';

/** Gives the id of the resource that this request creates under a `bulkId`, or refuses. */
export type Resolve = (bulkId: string) => string;

/** A value that is a reference as a whole, in an address as in data. */
export const resolveReference = (text: string, resolve: Resolve) => (text.startsWith(prefix) ? resolve(text.slice(prefix.length)) : text);

/** Puts ids in place of all references in an operation's data; in a PATCH also of those in its paths. What has no reference is not copied. */
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
  if (depth === maxDepth) throw invalidSyntax(`data is nested deeper than ${maxDepth} levels.`);
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

/** `__proto__` stays a name like any other. */
function copyShallow(object: JsonObject): JsonObject {
  const copy = emptyFor(object);
  for (const name of Object.keys(object)) setOwn(copy, name, getOwn(object, name));
  return copy;
}

const prefix = 'bulkId:';
const maxDepth = 100;
/** A longer one is refused where paths are understood. */
const maxPathLength = 10_000;
/** A string, also one that never ends, so that nothing is looked at twice; or a reference whose quotes were forgotten. */
const literal = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|(?<=\s)bulkId:[^\s\]()"]+/g;
