import { invalidSyntax } from '../errors.ts';
import { isObject, type JsonObject } from '../json.ts';

/** Gives the id of the resource that this request creates under a `bulkId`, or refuses. */
export type Resolve = (bulkId: string) => string;

/** A value that is a reference as a whole, in an address as in data. */
export const resolveReference = (text: string, resolve: Resolve) => (text.startsWith(prefix) ? resolve(text.slice(prefix.length)) : text);

/** Puts ids in place of all references in an operation's data; in a PATCH also of those in its paths. */
export function resolveReferences(data: JsonObject, { isPatch }: { isPatch: boolean }, resolve: Resolve): JsonObject {
  const resolved = resolveWithin(data, resolve, 0) as JsonObject;
  if (!isPatch) return resolved;
  return mapNamed(resolved, 'operations', (operations) =>
    Array.isArray(operations)
      ? operations.map((operation) =>
          isObject(operation) ? mapNamed(operation, 'path', (path) => resolveInPath(path, resolve)) : operation,
        )
      : operations,
  );
}

function resolveWithin(value: unknown, resolve: Resolve, depth: number): unknown {
  if (typeof value === 'string') return resolveReference(value, resolve);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) throw invalidSyntax(`data is nested deeper than ${maxDepth} levels.`);
  if (Array.isArray(value)) return value.map((item) => resolveWithin(item, resolve, depth + 1));
  return mapEntries(value, (_name, inner) => resolveWithin(inner, resolve, depth + 1));
}

/** `members[value eq "bulkId:ada"]` */
function resolveInPath(path: unknown, resolve: Resolve): unknown {
  if (typeof path !== 'string' || path.length > maxPathLength) return path;
  return path.replaceAll(literal, (token) => {
    const text = token.startsWith('"') ? readString(token) : token;
    return text?.startsWith(prefix) ? JSON.stringify(resolveReference(text, resolve)) : token;
  });
}

function readString(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}

const mapNamed = (object: JsonObject, wanted: string, map: (value: unknown) => unknown) =>
  mapEntries(object, (name, value) => (name.toLowerCase() === wanted ? map(value) : value));

/** `__proto__` stays a name like any other. */
const mapEntries = (object: object, map: (name: string, value: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(name, value)]));

const prefix = 'bulkId:';
const maxDepth = 100;
/** A longer one is refused where paths are understood. */
const maxPathLength = 10_000;
/** A string, also one that never ends, so that nothing is looked at twice; or a reference whose quotes were forgotten. */
const literal = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|(?<=\s)bulkId:[^\s\]()"]+/g;
