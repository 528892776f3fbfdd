import { z } from 'zod';
import { exampleId, field } from './answers/field.ts';
import {
  bulkRequest,
  bulkResponse,
  listOf,
  patchRequest,
  resourceType,
  scimGroup,
  scimGroupList,
  scimGroupRequest,
  scimList,
  scimSchema,
  scimUser,
  scimUserList,
  scimUserRequest,
  searchRequest,
  serviceProviderConfig,
} from './answers/scim.ts';
import type { Answer, Operation } from './operation.ts';

const root = '/api/scim/v2.0/{directory}';
const its = { tag: 'SCIM', auth: 'scimSecret', dialect: 'scim' } as const;

const scim = (description: string, schema: z.ZodType, headers?: Answer['headers']): Answer => ({
  description,
  content: { 'application/scim+json': schema },
  ...(headers && { headers }),
});

const projection = z.object({
  attributes: field(z.string(), 'Only these attributes, by comma.', 'userName,name').optional(),
  excludedAttributes: field(z.string(), 'All attributes but these, by comma.', 'members').optional(),
});
const list = z.object({
  filter: field(z.string(), 'Which resources (RFC 7644, section 3.4.2.2).', 'userName eq "ada@acme.example"').optional(),
  sortBy: field(z.string(), 'In which order.', 'userName').optional(),
  sortOrder: field(z.enum(['ascending', 'descending']), 'Which end comes first.', 'ascending').optional(),
  startIndex: field(z.int(), 'The place of the first one, counted from 1.', 1).optional(),
  count: field(z.int(), 'How many at most; never more than 1000.', 100).optional(),
  cursor: field(z.string(), 'Asks for pages by cursor (RFC 9865); empty: the first one.', '').optional(),
});

const kinds = [
  { name: 'User', resource: scimUser, page: scimUserList, request: scimUserRequest },
  { name: 'Group', resource: scimGroup, page: scimGroupList, request: scimGroupRequest },
] as const;

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const deactivation = { op: 'replace', path: 'active', value: false };
const joining = { op: 'add', path: 'members', value: [{ value: exampleId }] };

const taken = 'Another resource of this directory has this name.';
const forbidden = 'The directory is deactivated, or would exceed one of its quotas.';
const tooLargeToShow: Answer = { description: 'It is changed, and too large for a response.', headers: ['ETag'] };
const changed = 'The resource is no longer of the version that `If-Match` names.';

function operationsOn({ name, resource, page, request }: (typeof kinds)[number]): Operation[] {
  const all = `${root}/${name}s`;
  const one = `${all}/{id}`;
  const word = name.toLowerCase();
  const whole = (description: string) => scim(description, resource, ['ETag']);
  const isUser = name === 'User';
  return [
    {
      ...its,
      operationId: `list${name}s`,
      method: 'get',
      path: all,
      summary: `Lists ${word}s.`,
      query: [list, projection],
      answers: { 200: scim('A page.', page) },
    },
    {
      ...its,
      operationId: `search${name}s`,
      method: 'post',
      path: `${all}/.search`,
      summary: `Lists ${word}s, with the query in the body.`,
      body: { schema: searchRequest },
      answers: { 200: scim('A page.', page) },
    },
    {
      ...its,
      operationId: `create${name}`,
      method: 'post',
      path: all,
      summary: `Creates a ${word}.`,
      query: [projection],
      body: { schema: request },
      answers: { 201: scim(`The new ${word}.`, resource, ['ETag', 'Location']) },
      refusals: { 403: forbidden, 409: taken },
    },
    {
      ...its,
      operationId: `get${name}`,
      method: 'get',
      path: one,
      summary: `Reads a ${word}.`,
      query: [projection],
      headers: ['If-None-Match'],
      answers: {
        200: scim(`The ${word}.`, resource, ['ETag', 'Location']),
        304: { description: 'It is still of the version that `If-None-Match` names.', headers: ['ETag', 'Location'] },
      },
    },
    {
      ...its,
      operationId: `replace${name}`,
      method: 'put',
      path: one,
      summary: `Replaces a ${word}.`,
      query: [projection],
      headers: ['If-Match'],
      body: { schema: request },
      answers: { 200: whole(`The ${word} as it is now.`), 204: tooLargeToShow },
      refusals: { 403: forbidden, 409: taken, 412: changed },
    },
    {
      ...its,
      operationId: `change${name}`,
      method: 'patch',
      path: one,
      summary: `Changes a part of a ${word}.`,
      ...(!isUser && { description: 'Answered without a body, unless `attributes` or `excludedAttributes` asks for one.' }),
      query: [projection],
      headers: ['If-Match'],
      body: { schema: patchRequest, example: { schemas: [patchUrn], Operations: [isUser ? deactivation : joining] } },
      answers: {
        200: whole(`The ${word} as it is now.`),
        204: isUser ? tooLargeToShow : { description: 'It is changed.', headers: ['ETag'] },
      },
      refusals: { 403: forbidden, 409: taken, 412: changed },
    },
    {
      ...its,
      operationId: `delete${name}`,
      method: 'delete',
      path: one,
      summary: `Deletes a ${word}.`,
      headers: ['If-Match'],
      answers: { 204: { description: 'It is gone.' } },
      refusals: { 412: changed },
    },
  ];
}

const discover = { ...its, method: 'get', refusals: { 403: 'The directory is deactivated, or a filter was given.' } } as const;

const discoveryOperations: Operation[] = [
  {
    ...discover,
    operationId: 'getServiceProviderConfig',
    path: `${root}/ServiceProviderConfig`,
    summary: 'Says what this service can do.',
    description: '`/ServiceProviderConfigs` is another name of it.',
    answers: { 200: scim('What it can do.', serviceProviderConfig) },
  },
  {
    ...discover,
    operationId: 'listResourceTypes',
    path: `${root}/ResourceTypes`,
    summary: 'Lists the kinds of resources.',
    answers: { 200: scim('The kinds.', listOf(resourceType, 'ResourceTypeList')) },
  },
  {
    ...discover,
    operationId: 'getResourceType',
    path: `${root}/ResourceTypes/{id}`,
    summary: 'Describes a kind of resource.',
    answers: { 200: scim('The kind.', resourceType) },
  },
  {
    ...discover,
    operationId: 'listSchemas',
    path: `${root}/Schemas`,
    summary: 'Lists the schemas.',
    answers: { 200: scim('The schemas.', listOf(scimSchema, 'SchemaList')) },
  },
  {
    ...discover,
    operationId: 'getSchema',
    path: `${root}/Schemas/{id}`,
    summary: 'Describes a schema.',
    answers: { 200: scim('The schema.', scimSchema) },
  },
];

const me = (['get', 'post', 'put', 'patch', 'delete'] as const).map((method): Operation => ({
  ...its,
  operationId: `${method}Me`,
  method,
  path: `${root}/Me`,
  summary: 'There is no Me here.',
  description: 'A directory speaks for its identity provider, which is no user (RFC 7644, section 3.11).',
  answers: {},
  refusals: { 501: 'Always.' },
}));

export const scimOperations: Operation[] = [
  ...kinds.flatMap(operationsOn),
  {
    ...its,
    operationId: 'searchAll',
    method: 'post',
    path: `${root}/.search`,
    summary: 'Lists users, then groups, with the query in the body.',
    body: { schema: searchRequest },
    answers: { 200: scim('A page.', scimList) },
  },
  {
    ...its,
    operationId: 'bulk',
    method: 'post',
    path: `${root}/Bulk`,
    summary: 'Makes many changes in one request.',
    description: 'In one transaction; a refused operation does not touch the others, unless they depend on it.',
    body: { schema: bulkRequest },
    answers: { 200: scim('What became of each operation.', bulkResponse) },
  },
  ...discoveryOperations,
  ...me,
];
