import { invalidSyntax, invalidValue } from './errors.ts';
import { isObject, type JsonObject } from './json.ts';

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** A user as a provider pushed it, and the attributes that this service itself looks at. */
export interface ScimUser {
  userName: string;
  externalId: string | undefined;
  active: boolean;
  /** Everything that was sent, less what the service assigns (`id`, `meta`, `groups`) and the password. */
  resource: JsonObject;
}

/** Reads the body of `POST /Users`. Providers send `null` for "not set" and booleans as text. */
export function readUser(body: unknown): ScimUser {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object: a SCIM user.');
  const resource: JsonObject = Object.create(null) as JsonObject;
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(body)) {
    const key = name.toLowerCase();
    if (seen.has(key)) throw invalidSyntax(`${name} is there twice; attribute names know no case.`);
    seen.add(key);
    if (!assigned.has(key)) resource[canonicalNames.get(key) ?? name] = value;
  }

  const { userName, externalId, name, emails, schemas } = resource;
  if (typeof userName !== 'string' || userName.trim() === '') throw invalidValue('userName is required: a string that is not empty.');
  if (userName.length > maxKeyLength) throw invalidValue(`userName may have at most ${maxKeyLength} characters.`);
  if (!isUnset(externalId) && typeof externalId !== 'string') throw invalidValue('externalId must be a string.');
  if (externalId && externalId.length > maxKeyLength) throw invalidValue(`externalId may have at most ${maxKeyLength} characters.`);
  if (!isUnset(name) && !isObject(name)) throw invalidValue('name must be an object, like {"givenName": "Ada", "familyName": "Lovelace"}.');
  for (const part of ['givenName', 'familyName']) {
    if (isObject(name) && !isUnset(name[part]) && typeof name[part] !== 'string') throw invalidValue(`name.${part} must be a string.`);
  }
  if (!isUnset(emails)) {
    if (!Array.isArray(emails) || !emails.every(isObject))
      throw invalidValue('emails must be an array of objects, like [{"value": "ada@example.com", "primary": true}].');
    if (!emails.every(({ value }) => isUnset(value) || typeof value === 'string')) throw invalidValue('emails.value must be a string.');
  }
  if (isUnset(schemas)) resource['schemas'] = [userSchema];
  else if (!Array.isArray(schemas) || !schemas.every((urn) => typeof urn === 'string'))
    throw invalidValue('schemas must be an array of strings.');
  const active = readActive(resource['active']);
  resource['active'] = active;
  return { userName, externalId: externalId ?? undefined, active, resource };
}

/** What is looked up by has to fit an index. */
const maxKeyLength = 500;
const assigned = new Set(['id', 'meta', 'groups', 'password']);
/** Attribute names know no case (RFC 7643, section 2.1). */
const canonicalNames = new Map(
  ['userName', 'externalId', 'name', 'emails', 'schemas', 'active', 'displayName'].map((name) => [name.toLowerCase(), name]),
);

function readActive(value: unknown): boolean {
  if (isUnset(value)) return true;
  const text = typeof value === 'string' ? value.toLowerCase() : JSON.stringify(value);
  if (text !== 'true' && text !== 'false') throw invalidValue('active must be true or false.');
  return text === 'true';
}

const isUnset = (value: unknown): value is null | undefined => value === null || value === undefined;
