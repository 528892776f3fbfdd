import { invalidSyntax } from '../errors.ts';
import { parsePath } from '../filter/parse-path.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { ResourceType } from '../schema/attribute.ts';
import type { Target } from './operation.ts';

export interface TargetedValue {
  target: Target;
  /** The name as it was sent. */
  name: string;
  value: unknown;
}

/**
 * Takes an object of attributes apart: a resource, or the value of an operation without a path. A name may be a path: Entra sends
 * `name.givenName` and whole URNs, others `emails[type eq "work"].value`. An extension's object is taken apart as well.
 */
export function attributesOf(object: JsonObject, type: ResourceType): TargetedValue[] {
  const seen = new Set<string>();
  return Object.entries(object).flatMap(([name, value]) => {
    const key = name.toLowerCase();
    if (seen.has(key)) throw invalidSyntax(`${name.slice(0, 60)} is there twice; attribute names know no case.`);
    seen.add(key);
    if (key === type.schema.id.toLowerCase()) return isObject(value) ? attributesOf(value, type) : [];
    const target = readTarget(name, type);
    return target.path.attribute === undefined ? withinExtension(target.path.extension!, value, type) : [{ target, name, value }];
  });
}

export function withinExtension(extension: string, value: unknown, type: ResourceType): TargetedValue[] {
  if (value === null || value === undefined) return [];
  if (!isObject(value)) throw invalidSyntax(`${extension} must be an object.`);
  return Object.entries(value).map(([name, inner]) => ({ target: parsePath(`${extension}:${name}`, type), name, value: inner }));
}

/** A name that could never be a path, `my attribute` say, stands for itself. An unknown extension is an attribute like any other. */
function readTarget(name: string, type: ResourceType): Target {
  const isUnknownUrn = /^urn:/i.test(name) && !type.extensions.some(({ id }) => name.toLowerCase().startsWith(id.toLowerCase()));
  if (isUnknownUrn || !/^[\w$:.-]+(\[|$)/.test(name)) return { path: { attribute: name } };
  return parsePath(name, type);
}
