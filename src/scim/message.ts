import { invalidSyntax } from './errors.ts';
import { isObject } from './json.ts';

/** One of the protocol's messages that are not resources (RFC 7644, section 3.1). */
type MessageName = 'SearchRequest' | 'BulkRequest' | 'BulkResponse' | 'ListResponse';
export const messageUrn = (name: MessageName) => `urn:ietf:params:scim:api:messages:2.0:${name}`;

/** Reads the body of a message. */
export function readMessage(body: unknown, name: MessageName): Map<string, unknown> {
  if (!isObject(body)) throw invalidSyntax(`The body must be a JSON object: a ${name}.`);
  const fields = readFields(body);
  const schemas = fields.get('schemas');
  const urn = messageUrn(name);
  if (!Array.isArray(schemas) || !schemas.some((schema) => typeof schema === 'string' && schema.toLowerCase() === urn.toLowerCase()))
    throw invalidSyntax(`schemas must contain ${urn}.`);
  return fields;
}

/** What is set, under its name in lower case: names know no case (RFC 7643, section 2.1). */
export function readFields(object: object): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object)) {
    const key = name.toLowerCase();
    if (fields.has(key)) throw invalidSyntax(`${key} is there twice; names know no case.`);
    if (value !== null && value !== undefined) fields.set(key, value);
  }
  return fields;
}
