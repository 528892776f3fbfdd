import { invalidSyntax, invalidValue } from '../errors.ts';
import { isObject, isUnset, type JsonObject, findName } from '../json.ts';
import type { ResourceType } from '../schema/attribute.ts';
import { findExtension } from '../schema/resolve-path.ts';

/** SCIM 1.1 has one core schema for both types (OneLogin). */
export const oldCore = 'urn:scim:schemas:core:1.0';

/** A body without `schemas` is accepted. A body that names only the schema of another type is rejected. Unknown URNs are ignored. */
export function checkSchemas(body: JsonObject, type: ResourceType): void {
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
