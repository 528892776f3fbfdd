import { z } from 'zod';
import { messageUrn } from '../../scim/message.ts';
import { groupType, userType } from '../../scim/schema/resource-types.ts';
import { count, exampleId, field, timeOf } from '../api/schema-fields.ts';
import { createResourceSchema } from './resource-schema.ts';

const schemas = field(z.array(z.string()), 'The URIs of its schemas.');
const location = (what: string) => field(z.string(), what, `https://sync.example/api/scim/v2.0/${exampleId}`);

const exampleUser = {
  schemas: [userType.schema.id],
  userName: 'ada@acme.example',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: 'ada@acme.example', primary: true, type: 'work' }],
  active: true,
};
const exampleGroup = { schemas: [groupType.schema.id], displayName: 'Engineering', members: [{ value: exampleId }] };
const exampleMeta = (type: 'User' | 'Group') => ({
  resourceType: type,
  created: '2027-11-20T08:43:54.120Z',
  lastModified: '2027-11-21T08:43:54.120Z',
  location: `https://sync.example/api/scim/v2.0/${exampleId}/${type}s/${exampleId}`,
  version: 'W/"3"',
});

const assigned = (type: 'User' | 'Group') => ({
  schemas,
  id: field(z.string(), 'The ID that this service assigned.', exampleId),
  externalId: field(z.string(), 'The ID that the identity provider assigned.', '00u1a2b3c4').optional(),
  meta: z
    .looseObject({
      resourceType: z.literal(type).optional(),
      created: timeOf('When it was created.').optional(),
      lastModified: timeOf('When it was last changed.').optional(),
      location: location('The address of the resource.').optional(),
      version: field(z.string(), 'The version of the resource, as in `ETag`.', 'W/"3"').optional(),
    })
    .optional(),
});

export const scimUserSchema = createResourceSchema(userType, 'response')
  .extend({
    ...assigned('User'),
    groups: z
      .array(
        z.looseObject({
          value: z.string().optional(),
          $ref: z.string().optional(),
          display: z.string().optional(),
          type: z.string().optional(),
        }),
      )
      .optional()
      .meta({ description: 'The groups that the user is a direct member of.' }),
  })
  .meta({
    id: 'ScimUser',
    description: 'A user in SCIM. `attributes` and `excludedAttributes` select its attributes.',
    examples: [{ ...exampleUser, id: exampleId, meta: exampleMeta('User') }],
  });

export const scimGroupSchema = createResourceSchema(groupType, 'response')
  .extend(assigned('Group'))
  .meta({
    id: 'ScimGroup',
    description: 'A group in SCIM. `attributes` and `excludedAttributes` select its attributes.',
    examples: [{ ...exampleGroup, id: exampleId, meta: exampleMeta('Group') }],
  });

const requestFields = {
  schemas: schemas.optional(),
  externalId: field(z.string(), 'The ID that the identity provider assigned.', '00u1a2b3c4').optional(),
};

export const scimUserRequest = createResourceSchema(userType, 'request')
  .extend(requestFields)
  .meta({
    id: 'ScimUserRequest',
    description:
      'A user as identity providers send it. Attributes that no schema defines are stored as they are. Known deviations from the standard are accepted: names in any case, null, strings for booleans.',
    examples: [exampleUser],
  });

export const scimGroupRequest = createResourceSchema(groupType, 'request')
  .extend(requestFields)
  .meta({
    id: 'ScimGroupRequest',
    description: 'A group as identity providers send it. A PUT without `members` keeps the members.',
    examples: [exampleGroup],
  });

export const scimErrorSchema = z
  .strictObject({
    schemas: z.tuple([z.literal('urn:ietf:params:scim:api:messages:2.0:Error')]),
    status: field(z.string(), 'The status code, as a string.', '409'),
    scimType: field(z.string(), 'The kind of error.', 'uniqueness').optional(),
    detail: field(z.string(), 'A human-readable message.', 'A user with this userName exists already.'),
  })
  .meta({ id: 'ScimError', description: 'A SCIM error (RFC 7644, section 3.12).' });

export const listOf = (item: z.ZodType, name: string) =>
  z
    .strictObject({
      schemas: z.tuple([z.literal(messageUrn('ListResponse'))]),
      totalResults: field(count, 'The number of resources on all pages.', 120).optional(),
      startIndex: field(z.int(), 'The position of the first resource, from 1.', 1).optional(),
      itemsPerPage: field(count, 'The number of resources on this page.', 100),
      nextCursor: field(z.string(), 'The cursor of the next page, when paging by cursor.').optional(),
      Resources: z.array(item),
    })
    .meta({ id: name, description: 'A page of resources (RFC 7644, section 3.4.2).' });

const anyResource = z
  .looseObject({ schemas, id: z.string() })
  .meta({ examples: [{ ...exampleUser, id: exampleId, meta: exampleMeta('User') }] });

export const scimUserList = listOf(scimUserSchema, 'ScimUserList');
export const scimGroupList = listOf(scimGroupSchema, 'ScimGroupList');
export const scimList = listOf(anyResource, 'ListResponse');

export const searchRequest = z
  .looseObject({
    schemas: z.array(z.string()).meta({ examples: [[messageUrn('SearchRequest')]] }),
    filter: field(z.string(), 'Only resources that match this filter.', 'userName eq "ada@acme.example"').optional(),
    sortBy: field(z.string(), 'The attribute to sort by.', 'userName').optional(),
    sortOrder: field(z.string(), '`ascending` or `descending`.', 'ascending').optional(),
    startIndex: field(z.union([z.number(), z.string()]), 'The position of the first resource, from 1.', 1).optional(),
    count: field(z.union([z.number(), z.string()]), 'The maximum number of resources.', 100).optional(),
    cursor: field(z.string(), 'Page by cursor (RFC 9865); empty: the first page.', '').optional(),
    attributes: field(z.union([z.array(z.string()), z.string()]), 'Only these attributes.', ['userName']).optional(),
    excludedAttributes: field(z.union([z.array(z.string()), z.string()]), 'All attributes except these.', ['members']).optional(),
  })
  .meta({ id: 'SearchRequest', description: 'A query in a body (RFC 7644, section 3.4.3).' });

export const patchRequest = z
  .looseObject({
    schemas: z
      .array(z.string())
      .optional()
      .meta({ examples: [['urn:ietf:params:scim:api:messages:2.0:PatchOp']] }),
    Operations: z
      .array(
        z.looseObject({
          op: field(z.string(), '`add`, `replace` or `remove`, in any case.', 'replace'),
          path: field(z.string(), 'The attribute to change; default: the attributes in `value`.', 'active').optional(),
          value: field(z.unknown(), 'The new value.', false).optional(),
        }),
      )
      .min(1),
  })
  .meta({ id: 'PatchRequest', description: 'A PATCH request (RFC 7644, section 3.5.2).' });

export const bulkRequest = z
  .looseObject({
    schemas: z.array(z.string()).meta({ examples: [[messageUrn('BulkRequest')]] }),
    failOnErrors: field(z.union([z.int().min(1), z.string()]), 'Stop after this number of errors.', 1).optional(),
    Operations: z.array(
      z.looseObject({
        method: field(z.string(), 'POST, PUT, PATCH or DELETE.', 'POST').optional(),
        path: field(z.string(), 'The path of the resource.', '/Users').optional(),
        bulkId: field(z.string(), 'A name for the new resource, which other operations can refer to.', 'ada').optional(),
        version: field(z.string(), 'Fail with 412 unless the resource has this version.', 'W/"3"').optional(),
        data: field(z.unknown(), 'The body of the operation.').optional(),
      }),
    ),
  })
  .meta({
    id: 'BulkRequest',
    description: 'A Bulk request: several changes in one request (RFC 7644, section 3.7).',
    examples: [
      {
        schemas: [messageUrn('BulkRequest')],
        Operations: [
          {
            method: 'POST',
            path: '/Users',
            bulkId: 'ada',
            data: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ada@acme.example' },
          },
          {
            method: 'POST',
            path: '/Groups',
            bulkId: 'engineering',
            data: {
              schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
              displayName: 'Engineering',
              members: [{ value: 'bulkId:ada' }],
            },
          },
        ],
      },
    ],
  });

export const bulkResponseSchema = z
  .strictObject({
    schemas: z.tuple([z.literal(messageUrn('BulkResponse'))]),
    Operations: z.array(
      z.strictObject({
        method: field(z.string(), 'As in the request.', 'POST').optional(),
        bulkId: field(z.string(), 'As in the request.', 'ada').optional(),
        version: field(z.string(), 'The version of the resource.', 'W/"1"').optional(),
        location: location('The address of the resource.').optional(),
        status: field(z.string(), 'The status of this operation.', '201'),
        response: scimErrorSchema.optional(),
      }),
    ),
  })
  .meta({ id: 'BulkResponse', description: 'The result of each operation.' });

const supported = z.strictObject({ supported: z.boolean() });
const metaOf = (type: string) => z.strictObject({ resourceType: z.literal(type), location: location('The address of the resource.') });
const coreSchema = (name: string) => z.tuple([z.literal(`urn:ietf:params:scim:schemas:core:2.0:${name}`)]);

export const serviceProviderConfigSchema = z
  .strictObject({
    schemas: coreSchema('ServiceProviderConfig'),
    patch: supported,
    bulk: supported.extend({ maxOperations: count, maxPayloadSize: count }),
    filter: supported.extend({ maxResults: count }),
    changePassword: supported,
    sort: supported,
    etag: supported,
    pagination: z.strictObject({
      cursor: z.boolean(),
      index: z.boolean(),
      defaultPaginationMethod: z.string(),
      defaultPageSize: count,
      maxPageSize: count,
      cursorTimeout: count,
    }),
    authenticationSchemes: z.array(
      z.strictObject({ type: z.string(), name: z.string(), description: z.string(), specUri: z.string(), primary: z.boolean() }),
    ),
    meta: metaOf('ServiceProviderConfig'),
  })
  .meta({ id: 'ServiceProviderConfig', description: 'The SCIM features of this service (RFC 7643, section 5).' });

export const resourceTypeSchema = z
  .strictObject({
    schemas: coreSchema('ResourceType'),
    id: z.string(),
    name: z.string(),
    endpoint: z.string(),
    description: z.string(),
    schema: z.string(),
    schemaExtensions: z.array(z.strictObject({ schema: z.string(), required: z.boolean() })),
    meta: metaOf('ResourceType'),
  })
  .meta({ id: 'ResourceType', description: 'A resource type (RFC 7643, section 6).' });

const traits = {
  name: z.string(),
  type: z.enum(['string', 'boolean', 'decimal', 'integer', 'dateTime', 'reference', 'binary', 'complex']),
  multiValued: z.boolean(),
  description: z.string(),
  required: z.boolean(),
  caseExact: z.boolean(),
  mutability: z.enum(['readOnly', 'readWrite', 'immutable', 'writeOnly']),
  returned: z.enum(['always', 'never', 'default', 'request']),
  uniqueness: z.enum(['none', 'server', 'global']),
  canonicalValues: z.array(z.string()).optional(),
  referenceTypes: z.array(z.string()).optional(),
};
const attribute = z.strictObject({ ...traits, subAttributes: z.array(z.strictObject(traits)).optional() });

export const schemaSchema = z
  .strictObject({
    schemas: coreSchema('Schema'),
    id: z.string(),
    name: z.string(),
    description: z.string(),
    attributes: z.array(attribute),
    meta: metaOf('Schema'),
  })
  .meta({ id: 'Schema', description: 'The attributes of a resource (RFC 7643, section 7).' });
