import { z } from 'zod';
import { signalOf } from '../../server/caller-connection.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { product } from '../selector.ts';
import {
  attributeSchemaRequest,
  attributeSchemaSchema,
  mappingRequest,
  mappingSchema,
  presentAttribute,
  presentMapping,
  presentPreview,
  previewRequest,
  previewSchema,
  toMapping,
} from './schemas.ts';

const schemas = '/api/v1/attribute-schemas';
const mapping = '/api/v1/directory-sync/{directoryId}/mapping';
const common = { tag: 'Attributes', auth: 'apiKey' } as const;
/** 50 attributes with 10 paths each. */
const bodyLimit = { maxBytes: 524_288, maxValues: 5_000 };

export const attributeOperations = [
  defineOperation({
    ...common,
    id: 'attributes.getSchema',
    scope: 'directories:read',
    reach: 'narrowed',
    method: 'get',
    path: schemas,
    title: 'Get an attribute schema',
    description: 'Returns the attributes that users of a product have in `custom_attributes`.',
    query: z.object({ product }),
    responses: { 200: { description: 'The schema. A product without one has no attributes.', data: attributeSchemaSchema } },
    handler: async ({ input: { query }, deps, caller }) => ({
      product: query.product,
      attributes: (await deps.attributes.getSchema(caller.narrowed, query.product)).map(presentAttribute),
    }),
  }),
  defineOperation({
    ...common,
    id: 'attributes.setSchema',
    scope: 'directories:write',
    reach: 'narrowed',
    audit: ['attribute_schema.updated'],
    method: 'put',
    path: schemas,
    title: 'Replace an attribute schema',
    description:
      'Replaces the attributes of a product, and computes those of its users in the background. Users whose attributes change are told by `user.updated` with the reason `mapping`. An attribute that a mapping names cannot be removed, nor get another type.',
    body: { schema: attributeSchemaRequest, ...bodyLimit },
    responses: { 200: { description: 'The schema.', data: attributeSchemaSchema } },
    handler: async ({ input: { body }, deps, caller }) => {
      const requested = body.attributes.map(({ multi_valued: multiValued, ...attribute }) => ({ ...attribute, multiValued }));
      const schema = await deps.attributes.setSchema(caller.narrowed, body.product, requested, { repeats: body.recompute });
      return { product: body.product, attributes: schema.map(presentAttribute) };
    },
  }),
  defineOperation({
    ...common,
    id: 'attributes.getMapping',
    scope: 'directories:read',
    method: 'get',
    path: mapping,
    params: directoryParams,
    title: 'Get the mapping of a directory',
    description: 'Returns where the attributes of a directory come from, and the progress of the last recomputation of its users.',
    responses: { 200: { description: 'The mapping.', data: mappingSchema } },
    handler: async ({ input: { params }, deps }) => presentMapping(await deps.attributes.getMapping(params.directoryId)),
  }),
  defineOperation({
    ...common,
    id: 'attributes.setMapping',
    scope: 'directories:write',
    audit: ['directory.mapping_updated'],
    method: 'put',
    path: mapping,
    params: directoryParams,
    title: 'Replace the mapping of a directory',
    description:
      'Replaces where the attributes of a directory come from, and computes those of its users in the background, also after a restart. Users whose attributes change are told by `user.updated` with the reason `mapping`.',
    body: { schema: mappingRequest, ...bodyLimit },
    responses: { 200: { description: 'The mapping, with the recomputation that has begun.', data: mappingSchema } },
    handler: async ({ input: { params, body }, deps }) =>
      presentMapping(await deps.attributes.setMapping(params.directoryId, toMapping(body.attributes), { repeats: body.recompute })),
  }),
  defineOperation({
    ...common,
    id: 'attributes.preview',
    scope: 'people:read',
    audit: { none: 'It only reads.' },
    method: 'post',
    path: `${mapping}/preview`,
    params: directoryParams,
    title: 'Preview a mapping',
    description:
      'Computes the attributes of the newest users with a mapping, without storing anything: what they are, what is missing, and how many users would change. One preview runs at a time in a process: others wait.',
    body: { schema: previewRequest, isOptional: true, ...bodyLimit },
    responses: { 200: { description: 'What the mapping would change.', data: previewSchema } },
    handler: async ({ ctx, input: { params, body }, deps }) => {
      const requested = body.attributes && toMapping(body.attributes);
      return presentPreview(await deps.attributes.preview(params.directoryId, requested, { limit: body.limit, signal: signalOf(ctx) }));
    },
  }),
];
