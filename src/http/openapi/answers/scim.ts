import { z } from 'zod';
import { messageUrn } from '../../../scim/message.ts';
import { groupType, userType } from '../../../scim/schema/resource-types.ts';
import { count, exampleId, field, timeOf } from './field.ts';
import { scimResource } from './scim-resource.ts';

const schemas = field(z.array(z.string()), 'The schemas that it follows.');
const location = (what: string) => field(z.string(), what, `https://sync.example/api/scim/v2.0/${exampleId}`);

const assigned = (type: 'User' | 'Group') => ({
  schemas,
  id: field(z.string(), 'Given by this service.', exampleId),
  externalId: field(z.string(), 'The id that the identity provider gave it.', '00u1a2b3c4').optional(),
  meta: z
    .looseObject({
      resourceType: z.literal(type).optional(),
      created: timeOf('When it was made.').optional(),
      lastModified: timeOf('When it was changed last.').optional(),
      location: location('Its address.').optional(),
      version: field(z.string(), 'Its version.', 'W/"3"').optional(),
    })
    .optional(),
});

export const scimUser = scimResource(userType, 'answered')
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
  .meta({ id: 'ScimUser', description: 'A user as SCIM shows it. `attributes` and `excludedAttributes` choose what is in it.' });

export const scimGroup = scimResource(groupType, 'answered')
  .extend(assigned('Group'))
  .meta({ id: 'ScimGroup', description: 'A group as SCIM shows it. `attributes` and `excludedAttributes` choose what is in it.' });

const given = {
  schemas: schemas.optional(),
  externalId: field(z.string(), 'The id that the identity provider gave it.', '00u1a2b3c4').optional(),
};

export const scimUserRequest = scimResource(userType, 'asked')
  .extend(given)
  .meta({
    id: 'ScimUserRequest',
    description:
      'A user as a provider sends it. What no schema names is kept as it was sent, and known deviations are taken too: names in any case, null, text for booleans.',
    examples: [
      {
        schemas: [userType.schema.id],
        userName: 'ada@acme.example',
        name: { givenName: 'Ada', familyName: 'Lovelace' },
        emails: [{ value: 'ada@acme.example', primary: true, type: 'work' }],
        active: true,
      },
    ],
  });

export const scimGroupRequest = scimResource(groupType, 'asked')
  .extend(given)
  .meta({
    id: 'ScimGroupRequest',
    description: 'A group as a provider sends it. A PUT without `members` leaves those that are there.',
    examples: [{ schemas: [groupType.schema.id], displayName: 'Engineering', members: [{ value: exampleId }] }],
  });

export const scimError = z
  .strictObject({
    schemas: z.tuple([z.literal('urn:ietf:params:scim:api:messages:2.0:Error')]),
    status: field(z.string(), 'The status, as text.', '409'),
    scimType: field(z.string(), "SCIM's word for what is wrong.", 'uniqueness').optional(),
    detail: field(z.string(), 'A sentence for a person.', 'A user with this userName exists already.'),
  })
  .meta({ id: 'ScimError', description: 'A refusal in SCIM (RFC 7644, section 3.12).' });

export const listOf = (item: z.ZodType, name: string) =>
  z
    .strictObject({
      schemas: z.tuple([z.literal(messageUrn('ListResponse'))]),
      totalResults: field(count, 'How many there are on all pages.', 120).optional(),
      startIndex: field(z.int(), 'The place of the first one, counted from 1.', 1).optional(),
      itemsPerPage: field(count, 'How many are here.', 100),
      nextCursor: field(z.string(), 'The cursor of the next page, of pages by cursor.').optional(),
      Resources: z.array(item),
    })
    .meta({ id: name, description: 'A page of resources (RFC 7644, section 3.4.2).' });

const anyResource = z.looseObject({ schemas, id: z.string() });

export const scimUserList = listOf(scimUser, 'ScimUserList');
export const scimGroupList = listOf(scimGroup, 'ScimGroupList');
export const scimList = listOf(anyResource, 'ListResponse');

export const searchRequest = z
  .looseObject({
    schemas: z.array(z.string()).meta({ examples: [[messageUrn('SearchRequest')]] }),
    filter: field(z.string(), 'Which resources.', 'userName eq "ada@acme.example"').optional(),
    sortBy: field(z.string(), 'In which order.', 'userName').optional(),
    sortOrder: field(z.string(), '`ascending` or `descending`.', 'ascending').optional(),
    startIndex: field(z.union([z.number(), z.string()]), 'The place of the first one, counted from 1.', 1).optional(),
    count: field(z.union([z.number(), z.string()]), 'How many at most.', 100).optional(),
    cursor: field(z.string(), 'Asks for pages by cursor (RFC 9865); empty: the first one.', '').optional(),
    attributes: field(z.union([z.array(z.string()), z.string()]), 'Only these.', ['userName']).optional(),
    excludedAttributes: field(z.union([z.array(z.string()), z.string()]), 'All but these.', ['members']).optional(),
  })
  .meta({ id: 'SearchRequest', description: 'A query that is too long for an address (RFC 7644, section 3.4.3).' });

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
          path: field(z.string(), 'What is changed; without it, what the value names.', 'active').optional(),
          value: field(z.unknown(), 'The new value.', false).optional(),
        }),
      )
      .min(1),
  })
  .meta({ id: 'PatchRequest', description: 'A PATCH (RFC 7644, section 3.5.2).' });

export const bulkRequest = z
  .looseObject({
    schemas: z.array(z.string()).meta({ examples: [[messageUrn('BulkRequest')]] }),
    failOnErrors: field(z.union([z.int().min(1), z.string()]), 'After how many errors to stop.', 1).optional(),
    Operations: z.array(
      z.looseObject({
        method: field(z.string(), 'POST, PUT, PATCH or DELETE.', 'POST').optional(),
        path: field(z.string(), 'What it is about.', '/Users').optional(),
        bulkId: field(z.string(), 'A name for what it makes, for others to use.', 'ada').optional(),
        version: field(z.string(), 'Go on only if it is still of this version.', 'W/"3"').optional(),
        data: field(z.unknown(), 'The body.').optional(),
      }),
    ),
  })
  .meta({
    id: 'BulkRequest',
    description: 'Many changes in one request (RFC 7644, section 3.7).',
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

export const bulkResponse = z
  .strictObject({
    schemas: z.tuple([z.literal(messageUrn('BulkResponse'))]),
    Operations: z.array(
      z.strictObject({
        method: field(z.string(), 'As it was sent.', 'POST').optional(),
        bulkId: field(z.string(), 'As it was sent.', 'ada').optional(),
        version: field(z.string(), 'The version of the resource.', 'W/"1"').optional(),
        location: location('The address of the resource.').optional(),
        status: field(z.string(), 'The status of this operation.', '201'),
        response: scimError.optional(),
      }),
    ),
  })
  .meta({ id: 'BulkResponse', description: 'What became of each operation.' });

const supported = z.strictObject({ supported: z.boolean() });
const metaOf = (type: string) => z.strictObject({ resourceType: z.literal(type), location: location('Its address.') });
const coreSchema = (name: string) => z.tuple([z.literal(`urn:ietf:params:scim:schemas:core:2.0:${name}`)]);

export const serviceProviderConfig = z
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
  .meta({ id: 'ServiceProviderConfig', description: 'What this service can do (RFC 7643, section 5).' });

export const resourceType = z
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
  .meta({ id: 'ResourceType', description: 'A kind of resource (RFC 7643, section 6).' });

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

export const scimSchema = z
  .strictObject({
    schemas: coreSchema('Schema'),
    id: z.string(),
    name: z.string(),
    description: z.string(),
    attributes: z.array(attribute),
    meta: metaOf('Schema'),
  })
  .meta({ id: 'Schema', description: 'The attributes of a resource (RFC 7643, section 7).' });
