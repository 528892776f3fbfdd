import { withoutSub } from '../filter/attribute-of.ts';
import { isObject, isSameJson, type JsonObject } from '../json.ts';
import { copyJson, findName, getOwn, setOwn } from '../properties.ts';
import { checkSize } from '../resource/limits.ts';
import { listSchemas } from '../resource/schemas.ts';
import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { findAttribute, findExtension } from '../schema/resolve.ts';
import { changeValue } from './change-value.ts';
import type { PatchOperation } from './operation.ts';
import { createWork, type Work } from './work.ts';

/** The resource after all operations (RFC 7644, section 3.5.2). The one that was given stays as it is. */
export function applyPatch(resource: JsonObject, operations: PatchOperation[], type: ResourceType): JsonObject {
  const patched = copyJson(resource) as JsonObject;
  applyOperations(patched, operations, type);
  const schemas = listSchemas(patched, type);
  if (!isSameJson(schemas, listSchemas(resource, type))) setOwn(patched, 'schemas', schemas);
  checkSize(patched);
  return patched;
}

/** Changes the resource itself. */
export function applyOperations(resource: JsonObject, operations: PatchOperation[], type: ResourceType): void {
  const work = createWork();
  for (const operation of operations) apply(resource, operation, { type, work });
}

function apply(resource: JsonObject, operation: PatchOperation, { type, work }: { type: ResourceType; work: Work }): void {
  const { extension, attribute } = locate(resource, operation, { type, work });
  if (attribute === undefined) return void delete resource[extension!];
  const holder = extension === undefined ? resource : getOwn(resource, extension);
  if (!isObject(holder) && operation.op === 'remove') return;
  const object = isObject(holder) ? holder : {};
  const definition = findAttribute(withoutSub(operation.target.path), type);
  const name = definition?.name ?? spell(object, attribute, work);
  const value = changeValue(getOwn(object, name), operation, { definition, type, work });
  if (value === undefined) delete object[name];
  else setOwn(object, name, value);
  if (extension === undefined) return;
  if (Object.keys(object).length > 0) setOwn(resource, extension, object);
  else delete resource[extension];
}

/** Of a URN that no schema has, only the resource can tell whether its last part is an attribute or belongs to the extension's name. */
function locate(resource: JsonObject, operation: PatchOperation, { type, work }: { type: ResourceType; work: Work }): AttributePath {
  const { path, filter } = operation.target;
  const { extension, attribute, sub } = path;
  if (extension === undefined || attribute === undefined || findExtension(extension, type)) return path;
  const whole = spell(resource, `${extension}:${attribute}`, work);
  if (Object.hasOwn(resource, whole)) return { attribute: whole };
  const there = spell(resource, extension, work);
  const isWhole = sub === undefined && !filter && isObject(operation.value) && !Object.hasOwn(resource, there);
  return isWhole ? { attribute: whole } : { extension: there, attribute };
}

function spell(object: JsonObject, name: string, work: Work): string {
  work.spend(Object.keys(object).length);
  return findName(object, name) ?? name;
}
