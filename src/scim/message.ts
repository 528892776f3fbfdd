import { invalidSyntax } from './errors.ts';
import { isObject } from './json.ts';

/** Messages of the protocol that are not resources (RFC 7644, section 3.1). */
type MessageName = 'SearchRequest' | 'BulkRequest' | 'BulkResponse' | 'ListResponse';
export const messageUrn = (name: MessageName) => `urn:ietf:params:scim:api:messages:2.0:${name}`;

export function readMessage(body: unknown, name: MessageName): Map<string, unknown> {
  if (!isObject(body)) throw invalidSyntax(`The body must be a JSON object: a ${name}.`);
  const fields = readFields(body);
  const schemas = fields.get('schemas');
  const urn = messageUrn(name);
  if (!Array.isArray(schemas) || !schemas.some((schema) => typeof schema === 'string' && schema.toLowerCase() === urn.toLowerCase()))
    throw invalidSyntax(`schemas must contain ${urn}.`);
  return fields;
}

/** The fields that are set, by lower-case name: names are case-insensitive (RFC 7643, section 2.1). */
export function readFields(object: object): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object)) {
    const key = name.toLowerCase();
    if (fields.has(key)) throw invalidSyntax(`Duplicate key ${key}; names are case-insensitive.`);
    if (value !== null && value !== undefined) fields.set(key, value);
  }
  return fields;
}

/**
 * Query parameters with all their values, by lower-case name. Names are case-insensitive, because ignoring `Filter` would return all users.
 */
export function readParameters(query: object): Map<string, unknown[]> {
  const parameters = new Map<string, unknown[]>();
  for (const [name, value] of Object.entries(query)) {
    const values = parameters.get(name.toLowerCase()) ?? [];
    if (value !== undefined) parameters.set(name.toLowerCase(), [...values, ...(Array.isArray(value) ? value : [value])]);
  }
  return parameters;
}

/** The value of a parameter. It may be repeated with the same value. */
export function readOne(parameters: Map<string, unknown[]>, name: string): unknown {
  const values = new Set(parameters.get(name.toLowerCase()));
  if (values.size > 1) throw invalidSyntax(`${name} is given twice with different values.`);
  return [...values][0];
}
