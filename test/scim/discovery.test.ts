import { describe, expect, it } from '@jest/globals';
import { getResourceType, getSchema, toResourceTypeList, toSchemaList, toServiceProviderConfig } from '../../src/scim/discovery.ts';
import type { Attribute } from '../../src/scim/schema/attribute.ts';

it('names the enterprise extension as RFC 7643 does, without a space', () => {
  expect(getSchema('https://a.test', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User').name).toBe('EnterpriseUser');
});

const base = 'https://a.test/api/scim/v2.0/d-1';
const user = 'urn:ietf:params:scim:schemas:core:2.0:User';
const group = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const listUrn = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

it('lists the capabilities of the service', () => {
  expect(toServiceProviderConfig(base, { maxPayloadSize: 1_048_576, tokenUrl: 'https://sync.example/api/scim/oauth/token' })).toEqual({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: 1000, maxPayloadSize: 1_048_576 },
    filter: { supported: true, maxResults: 1000 },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: 100,
      maxPageSize: 1000,
      cursorTimeout: 3600,
    },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: expect.any(String),
        description: expect.any(String),
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
      {
        type: 'oauth2',
        name: expect.any(String),
        description: expect.stringContaining('https://sync.example/api/scim/oauth/token'),
        specUri: 'https://www.rfc-editor.org/info/rfc6749',
        primary: false,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  });
});

describe('resource types', () => {
  it('are listed', () => {
    expect(toResourceTypeList(base)).toEqual({
      schemas: [listUrn],
      totalResults: 2,
      startIndex: 1,
      itemsPerPage: 2,
      Resources: [getResourceType(base, 'User'), getResourceType(base, 'Group')],
    });
  });

  it('are found by their ID in any case', () => {
    expect(getResourceType(base, 'user')).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
      id: 'User',
      name: 'User',
      endpoint: '/Users',
      description: expect.any(String),
      schema: user,
      schemaExtensions: [{ schema: enterprise, required: false }],
      meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/User` },
    });
    expect(getResourceType(base, 'GROUP')).toMatchObject({ id: 'Group', endpoint: '/Groups', schema: group, schemaExtensions: [] });
  });

  it.each(['', 'Users', '__proto__', 'constructor', 'User ', user])('with another name do not exist: %j', (id) => {
    expect(() => getResourceType(base, id)).toThrow(expect.objectContaining({ details: expect.objectContaining({ status: 404 }) }));
  });
});

describe('schemas', () => {
  it('are listed, all that resource types name', () => {
    const list = toSchemaList(base);
    expect(list).toMatchObject({ schemas: [listUrn], totalResults: 3, startIndex: 1, itemsPerPage: 3 });
    expect(list.Resources).toEqual([user, enterprise, group].map((id) => getSchema(base, id)));
  });

  it.each([user, group, enterprise])('are found by their URN in any case: %s', (id) => {
    const schema = getSchema(base, id.toUpperCase());
    expect(schema).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
      id,
      name: expect.any(String),
      description: expect.any(String),
      meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
    });
    expect(getSchema(base, id)).toEqual(schema);
  });

  it.each(['', 'User', '__proto__', `${user}:userName`, 'urn:ietf:params:scim:schemas:core:2.0:Device'])(
    'of another name do not exist: %j',
    (id) => {
      expect(() => getSchema(base, id)).toThrow(expect.objectContaining({ details: expect.objectContaining({ status: 404 }) }));
    },
  );

  it('describe each attribute completely, and never with null', () => {
    expect(JSON.stringify(toSchemaList(base))).not.toContain('null');
    for (const id of [user, group, enterprise]) everyAttribute(getSchema(base, id).attributes);
  });
});

function everyAttribute(attributes: Attribute[]): void {
  for (const attribute of attributes) {
    expect(attribute).toMatchObject({
      name: expect.stringMatching(/^(\$ref|[a-zA-Z][\w-]*)$/),
      type: expect.stringMatching(/^(string|boolean|decimal|integer|dateTime|reference|binary|complex)$/),
      multiValued: expect.any(Boolean),
      description: expect.stringMatching(/./),
      required: expect.any(Boolean),
      caseExact: expect.any(Boolean),
      mutability: expect.stringMatching(/^(readOnly|readWrite|immutable|writeOnly)$/),
      returned: expect.stringMatching(/^(always|never|default|request)$/),
      uniqueness: expect.stringMatching(/^(none|server|global)$/),
    });
    expect(attribute.subAttributes !== undefined).toBe(attribute.type === 'complex');
    expect(attribute.referenceTypes !== undefined).toBe(attribute.type === 'reference');
    everyAttribute(attribute.subAttributes ?? []);
  }
}
