import { z } from 'zod';
import { matchesVersion, readVersions, type Versions } from '../../../scim/etag.ts';
import { readProjection } from '../../../scim/projection.ts';
import type { ResourceType } from '../../../scim/schema/attribute.ts';
import { groupType, userType } from '../../../scim/schema/resource-types.ts';
import { newId } from '../../../ids.ts';
import { isObject } from '../../../scim/json.ts';
import { exampleId, field } from '../../api/schema-fields.ts';
import { pathParam, type Operation, type ResponseDescription } from '../../operation.ts';
import { readJson } from '../../server/body/read-json.ts';
import { noteConcerns } from '../../server/record-requests.ts';
import { findInFilter } from '../../../directory/recorded-requests/concerned-users.ts';
import { defineScimOperation, directoryParam, type ScimCall, scimResponse, scimRoot } from '../define-scim-operation.ts';
import type { ScimResource } from '../presenter.ts';
import {
  patchRequest,
  scimGroupList,
  scimGroupRequest,
  scimGroupSchema,
  scimList,
  scimUserList,
  scimUserRequest,
  scimUserSchema,
  searchRequest,
} from '../schemas.ts';
import { callerIn, createResourceCall, respondWithVersion } from './resource-call.ts';
import { readListRequest, readSearchRequest } from '../../../scim/list.ts';

const projectionFields = {
  attributes: field(z.string(), 'Only these attributes, separated by commas.', 'userName,name').optional(),
  excludedAttributes: field(z.string(), 'All attributes except these, separated by commas.', 'members').optional(),
};
const projectionQuery = z.object(projectionFields);
const listQuery = z.object({
  filter: field(z.string(), 'Only resources that match (RFC 7644, section 3.4.2.2).', 'userName eq "ada@acme.example"').optional(),
  sortBy: field(z.string(), 'The attribute to sort by.', 'userName').optional(),
  sortOrder: field(z.enum(['ascending', 'descending']), 'The order.', 'ascending').optional(),
  startIndex: field(z.int(), 'The position of the first resource, from 1.', 1).optional(),
  count: field(z.int(), 'The maximum number of resources; at most 1000.', 100).optional(),
  cursor: field(z.string(), 'Page by cursor (RFC 9865); empty: the first page.', '').optional(),
  ...projectionFields,
});
const directoryParams = z.object(directoryParam);
const resourceParams = z.object({ ...directoryParam, id: pathParam('The ID of the resource.', exampleId) });

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const deactivation = { op: 'replace', path: 'active', value: false };
const addition = { op: 'add', path: 'members', value: [{ value: exampleId }] };

const duplicate = 'Another resource of this directory has this name.';
const forbidden = 'The directory is deactivated, or the change would exceed one of its quotas.';
const changed = 'The resource does not have the version that `If-Match` names.';
const tooLargeToReturn: ResponseDescription = {
  description: 'The resource is changed. It is too large for a response.',
  headers: ['ETag'],
};

const kinds = [
  toKind(userType, { resource: scimUserSchema, page: scimUserList, request: scimUserRequest }),
  toKind(groupType, { resource: scimGroupSchema, page: scimGroupList, request: scimGroupRequest }),
];

/** Users and groups alike: the differences are in their types and in the domain. */
export const resourceOperations: Operation[] = [
  ...kinds.flatMap((kind) => [...collectionOperations(kind), ...resourceOperationsOf(kind)]),
  defineScimOperation({
    id: 'searchAll',
    method: 'post',
    path: `${scimRoot}/.search`,
    params: directoryParams,
    title: 'Search users and groups',
    description: 'Lists users, then groups, with the query in the body.',
    body: { schema: searchRequest },
    responses: { 200: scimResponse('A page of resources.', scimList) },
    handler: async ({ ctx, deps }) => {
      const body = await readSearch({ ctx, deps });
      const requests = [userType, groupType].map((type) => ({ ...readSearchRequest(body, type), type }));
      return deps.lists.list(callerIn(ctx), requests);
    },
  }),
];

async function readSearch({ ctx, deps }: Pick<ScimCall, 'ctx' | 'deps'>): Promise<unknown> {
  const body = await readJson(ctx, deps.bodies.search);
  noteConcerns(ctx, [isObject(body) ? findInFilter(body['filter']) : undefined]);
  return body;
}

type Kind = ReturnType<typeof toKind>;

function toKind(type: ResourceType, schemas: Record<'resource' | 'page' | 'request', z.ZodType>) {
  const path = `${scimRoot}${type.endpoint}`;
  return { ...schemas, type, path, name: type.name, word: type.name.toLowerCase(), open: createResourceCall(type) };
}

function collectionOperations({ type, resource, page, request, path, name, word, open }: Kind): Operation[] {
  return [
    defineScimOperation({
      id: `list${name}s`,
      method: 'get',
      path,
      params: directoryParams,
      title: `List ${word}s`,
      query: listQuery,
      responses: { 200: scimResponse(`A page of ${word}s.`, page) },
      handler: ({ ctx, deps }) => deps.lists.list(callerIn(ctx), [{ ...readListRequest(ctx.query, type), type }]),
    }),
    defineScimOperation({
      id: `search${name}s`,
      method: 'post',
      path: `${path}/.search`,
      params: directoryParams,
      title: `Search ${word}s`,
      description: `Lists ${word}s, with the query in the body.`,
      body: { schema: searchRequest },
      responses: { 200: scimResponse(`A page of ${word}s.`, page) },
      handler: async ({ ctx, deps }) =>
        deps.lists.list(callerIn(ctx), [{ ...readSearchRequest(await readSearch({ ctx, deps }), type), type }]),
    }),
    defineScimOperation({
      id: `create${name}`,
      method: 'post',
      path,
      params: directoryParams,
      title: `Create a ${word}`,
      query: projectionQuery,
      body: { schema: request },
      responses: { 201: scimResponse(`The new ${word}.`, resource, { headers: ['ETag', 'Location'] }) },
      errors: { 403: forbidden, 409: duplicate },
      handler: async (call) => {
        const projection = readProjection(call.ctx.query, type);
        const { readBody, commit, presentNew, read, project } = open(call);
        const change = await readBody('POST', newId());
        const outcome = await commit(change);
        const created = presentNew(change, outcome) ?? (await read(outcome.resourceId, projection));
        call.ctx.set('Location', created.meta.location);
        return project(created, projection);
      },
    }),
  ];
}

function resourceOperationsOf({ type, resource, request, path: collectionPath, name, word, open }: Kind): Operation[] {
  const path = `${collectionPath}/{id}`;
  const isUser = name === 'User';
  const updated = scimResponse(`The updated ${word}.`, resource, { headers: ['ETag'] });
  return [
    defineScimOperation({
      id: `get${name}`,
      method: 'get',
      path,
      params: resourceParams,
      title: `Get a ${word}`,
      query: projectionQuery,
      headers: ['If-None-Match'],
      responses: {
        200: scimResponse(`The ${word}.`, resource, { headers: ['ETag', 'Location'] }),
        304: { description: 'The resource has the version that `If-None-Match` names.', headers: ['ETag', 'Location'] },
      },
      handler: async (call) => {
        const { ctx } = call;
        const projection = readProjection(ctx.query, type);
        const { key, read, project } = open(call);
        const found = await read(key(), projection);
        ctx.set('Location', found.meta.location);
        const body = await project(found, projection);
        if (!isUnchanged(found, readVersions(ctx.get('if-none-match')))) return body;
        ctx.status = 304;
        return undefined;
      },
    }),
    defineScimOperation({
      id: `replace${name}`,
      method: 'put',
      path,
      params: resourceParams,
      title: `Replace a ${word}`,
      query: projectionQuery,
      headers: ['If-Match'],
      body: { schema: request },
      responses: { 200: updated, 204: tooLargeToReturn },
      errors: { 403: forbidden, 409: duplicate, 412: changed },
      handler: async (call) => {
        const projection = readProjection(call.ctx.query, type);
        const { readBody, commit, presentChanged } = open(call);
        return presentChanged(await commit(await readBody('PUT')), projection);
      },
    }),
    defineScimOperation({
      id: `change${name}`,
      method: 'patch',
      path,
      params: resourceParams,
      title: `Update a ${word}`,
      ...(!isUser && { description: 'The response has no body, unless `attributes` or `excludedAttributes` is given.' }),
      query: projectionQuery,
      headers: ['If-Match'],
      body: { schema: patchRequest, example: { schemas: [patchUrn], Operations: [isUser ? deactivation : addition] } },
      responses: { 200: updated, 204: isUser ? tooLargeToReturn : { description: 'The group is changed.', headers: ['ETag'] } },
      errors: { 403: forbidden, 409: duplicate, 412: changed },
      handler: async (call) => {
        const { query } = call.ctx;
        const projection = readProjection(query, type);
        const { readBody, commit, presentChanged } = open(call);
        const outcome = await commit(await readBody('PATCH'));
        // A group may have 100,000 members, and a provider that changes one of them does not need the others.
        const returnsBody = isUser || query['attributes'] !== undefined || query['excludedAttributes'] !== undefined;
        return returnsBody ? presentChanged(outcome, projection) : respondWithVersion(call.ctx, outcome);
      },
    }),
    defineScimOperation({
      id: `delete${name}`,
      method: 'delete',
      path,
      params: resourceParams,
      title: `Delete a ${word}`,
      headers: ['If-Match'],
      responses: { 204: { description: `The ${word} is deleted.` } },
      errors: { 412: changed },
      handler: async (call) => {
        const { readBody, commit } = open(call);
        await commit(await readBody('DELETE'));
      },
    }),
  ];
}

/** Koa's own comparison ignores the tag when the request has `Cache-Control: no-cache`, which fetch adds by itself. */
function isUnchanged({ meta }: ScimResource, known: Versions | undefined): boolean {
  if (known === undefined) return false;
  const current = readVersions(meta.version);
  return Array.isArray(current) && current.some((version) => matchesVersion(known, version));
}
