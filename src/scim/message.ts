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

/** A query's parameters, each with all that it was given. Their names know no case: an overlooked `Filter` would give everybody. */
export function readParameters(query: object): Map<string, unknown[]> {
  const parameters = new Map<string, unknown[]>();
  for (const [name, value] of Object.entries(query)) {
    const values = parameters.get(name.toLowerCase()) ?? [];
    if (value !== undefined) parameters.set(name.toLowerCase(), [...values, ...(Array.isArray(value) ? value : [value])]);
  }
  return parameters;
}

/** The value of a parameter that has one, though it may be there twice. */
export function readOne(parameters: Map<string, unknown[]>, name: string): unknown {
  const values = new Set(parameters.get(name.toLowerCase()));
  if (values.size > 1) throw invalidSyntax(`${name} is there twice, with different values.`);
  return [...values][0];
}
