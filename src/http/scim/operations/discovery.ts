import { z } from 'zod';
import { exampleId } from '../../api/schema-fields.ts';
import { tokenPath } from '../../oauth/token-path.ts';
import { pathParam, type Operation } from '../../operation.ts';
import { getResourceType, getSchema, toResourceTypeList, toSchemaList, toServiceProviderConfig } from '../../../scim/discovery.ts';
import { ScimError } from '../../../scim/errors.ts';
import { groupType } from '../../../scim/schema/resource-types.ts';
import { defineScimOperation, directoryParam, scimResponse, scimRoot, type ScimCall } from '../define-scim-operation.ts';
import { scimBase } from '../presenter.ts';
import { listOf, resourceTypeSchema, schemaSchema, serviceProviderConfigSchema } from '../schemas.ts';

const common = { method: 'get', errors: { 403: 'The directory is deactivated, or the request has a filter.' } } as const;
const params = z.object(directoryParam);
const exampleBase = scimBase('https://sync.example', exampleId);

/** The features of this service (RFC 7644, section 4). */
export const discoveryOperations = [
  defineScimOperation({
    ...common,
    id: 'getServiceProviderConfig',
    path: `${scimRoot}/ServiceProviderConfig`,
    // Some providers use the plural (erratum 4978).
    aliases: [`${scimRoot}/ServiceProviderConfigs`],
    params,
    title: 'Get the SCIM features',
    description: 'Returns the SCIM features that this service supports.',
    responses: {
      200: scimResponse('The features.', serviceProviderConfigSchema, {
        example: toServiceProviderConfig(exampleBase, { maxPayloadSize: 10_485_760, tokenUrl: `https://sync.example${tokenPath}` }),
      }),
    },
    handler: (call) =>
      toServiceProviderConfig(baseOf(call), { maxPayloadSize: call.deps.maxBodyBytes, tokenUrl: `${call.deps.baseUrl()}${tokenPath}` }),
  }),
  defineScimOperation({
    ...common,
    id: 'listResourceTypes',
    path: `${scimRoot}/ResourceTypes`,
    params,
    title: 'List resource types',
    responses: {
      200: scimResponse('The resource types.', listOf(resourceTypeSchema, 'ResourceTypeList'), {
        example: toResourceTypeList(exampleBase),
      }),
    },
    handler: (call) => toResourceTypeList(baseOf(call)),
  }),
  defineScimOperation({
    ...common,
    id: 'getResourceType',
    path: `${scimRoot}/ResourceTypes/{id}`,
    params: z.object({ ...directoryParam, id: pathParam("The resource type's name.", 'User') }),
    title: 'Get a resource type',
    responses: { 200: scimResponse('The resource type.', resourceTypeSchema, { example: getResourceType(exampleBase, 'User') }) },
    handler: (call) => getResourceType(baseOf(call), idOf(call)),
  }),
  defineScimOperation({
    ...common,
    id: 'listSchemas',
    path: `${scimRoot}/Schemas`,
    params,
    title: 'List schemas',
    responses: { 200: scimResponse('The schemas.', listOf(schemaSchema, 'SchemaList'), { example: toSchemaList(exampleBase) }) },
    handler: (call) => toSchemaList(baseOf(call)),
  }),
  defineScimOperation({
    ...common,
    id: 'getSchema',
    path: `${scimRoot}/Schemas/{id}`,
    params: z.object({ ...directoryParam, id: pathParam("The schema's URI.", 'urn:ietf:params:scim:schemas:core:2.0:User') }),
    title: 'Get a schema',
    responses: { 200: scimResponse('The schema.', schemaSchema, { example: getSchema(exampleBase, groupType.schema.id) }) },
    handler: (call) => getSchema(baseOf(call), idOf(call)),
  }),
];

export const meOperations = (['get', 'post', 'put', 'patch', 'delete'] as const).map((method): Operation =>
  defineScimOperation({
    id: `${method}Me`,
    method,
    path: `${scimRoot}/Me`,
    params,
    title: 'Me is not supported',
    description: 'The secret of a directory belongs to its identity provider, which is not a user (RFC 7644, section 3.11).',
    responses: {},
    errors: { 501: 'Always.' },
    handlesAnyMethod: true,
    handler: () => {
      throw new ScimError({
        status: 501,
        detail: 'Me is not supported: the secret of a directory belongs to its identity provider, which is not a user.',
      });
    },
  }),
);

/** Where the SCIM addresses of the directory begin. A filter is an error here (RFC 7644, section 4). */
function baseOf({ ctx, deps }: ScimCall): string {
  if (Object.keys(ctx.query).some((name) => name.toLowerCase() === 'filter'))
    throw new ScimError({ status: 403, detail: 'A filter is not allowed here (RFC 7644, section 4).' });
  return scimBase(deps.baseUrl(), ctx.state.directoryId);
}

const idOf = ({ params: { id = '' } }: ScimCall) => id;
