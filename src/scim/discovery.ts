import { maxBulkOperations } from './bulk/read-bulk.ts';
import { cursorTimeoutSeconds } from './cursor.ts';
import { notFound } from './errors.ts';
import { defaultCount, maxCount, toListResponse } from './list.ts';
import type { ResourceType, Schema } from './schema/attribute.ts';
import { resourceTypes, schemas } from './schema/resource-types.ts';

const coreUrn = (name: 'ServiceProviderConfig' | 'ResourceType' | 'Schema') => `urn:ietf:params:scim:schemas:core:2.0:${name}`;

/** RFC 7643, section 5, and RFC 9865, section 3. `baseUrl` is the directory's SCIM address. */
export const toServiceProviderConfig = (baseUrl: string, { maxPayloadSize, tokenUrl }: { maxPayloadSize: number; tokenUrl: string }) => ({
  schemas: [coreUrn('ServiceProviderConfig')],
  patch: { supported: true },
  bulk: { supported: true, maxOperations: maxBulkOperations, maxPayloadSize },
  filter: { supported: true, maxResults: maxCount },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: defaultCount,
    maxPageSize: maxCount,
    cursorTimeout: cursorTimeoutSeconds,
  },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'OAuth Bearer Token',
      description: "The directory's secret, as a bearer token in the Authorization header.",
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
    {
      type: 'oauth2',
      name: 'OAuth 2.0 client credentials',
      description: `An access token, as a bearer token in the Authorization header. An OAuth client of the directory gets it at ${tokenUrl}.`,
      specUri: 'https://www.rfc-editor.org/info/rfc6749',
      primary: false,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
});

export const toResourceTypeList = (baseUrl: string) => toList(resourceTypes.map((type) => toResourceType(baseUrl, type)));

export function getResourceType(baseUrl: string, id: string) {
  const type = resourceTypes.find(({ name }) => isSameName(name, id));
  if (!type) throw notFound('Unknown resource type.');
  return toResourceType(baseUrl, type);
}

export const toSchemaList = (baseUrl: string) => toList(schemas.map((schema) => toSchema(baseUrl, schema)));

export function getSchema(baseUrl: string, id: string) {
  const schema = schemas.find((one) => isSameName(one.id, id));
  if (!schema) throw notFound('Unknown schema.');
  return toSchema(baseUrl, schema);
}

const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const toList = (resources: unknown[]) => toListResponse(resources, { total: resources.length, startIndex: 1 });

/** RFC 7643, section 6. */
const toResourceType = (baseUrl: string, { name, endpoint, description, schema, extensions }: ResourceType) => ({
  schemas: [coreUrn('ResourceType')],
  id: name,
  name,
  endpoint,
  description,
  schema: schema.id,
  schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
  meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
});

/** RFC 7643, section 7. */
const toSchema = (baseUrl: string, { id, name, description, attributes }: Schema) => ({
  schemas: [coreUrn('Schema')],
  id,
  name,
  description,
  attributes,
  meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${id}` },
});
