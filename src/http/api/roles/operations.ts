import { signalOf } from '../../server/caller-connection.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { presentPreview, previewRequest, previewSchema, toPreviewed } from './preview-schemas.ts';
import { presentTable, roleTableRequest, roleTableSchema, toTable } from './schemas.ts';

const path = '/api/v1/directory-sync/{directoryId}/roles';
const common = { tag: 'Roles', auth: 'apiKey' } as const;
/** 500 rows with long names. */
const bodyLimit = { maxBytes: 1_048_576, maxValues: 5_000 };

export const roleOperations = [
  defineOperation({
    ...common,
    id: 'roles.get',
    scope: 'directories:read',
    method: 'get',
    path,
    params: directoryParams,
    title: 'Get the role table of a directory',
    description:
      'Returns which roles the users of a directory have by their groups, and the progress of the last recomputation of its users.',
    responses: { 200: { description: 'The role table.', data: roleTableSchema } },
    handler: async ({ input: { params }, deps }) => presentTable(await deps.roles.get(params.directoryId)),
  }),
  defineOperation({
    ...common,
    id: 'roles.set',
    scope: 'directories:write',
    audit: ['directory.roles_updated'],
    method: 'put',
    path,
    params: directoryParams,
    title: 'Replace the role table of a directory',
    description:
      'Replaces which roles follow from which groups, and computes those of all users in the background, also after a restart. Users whose roles change are told by `user.updated` with the reason `mapping`. Later changes of groups and their members have the same effect for the users that they concern.',
    body: { schema: roleTableRequest, ...bodyLimit },
    responses: { 200: { description: 'The role table, with the recomputation that has begun.', data: roleTableSchema } },
    handler: async ({ input: { params, body }, deps }) =>
      presentTable(await deps.roles.set(params.directoryId, toTable(body), { repeats: body.recompute })),
  }),
  defineOperation({
    ...common,
    id: 'roles.delete',
    scope: 'directories:write',
    audit: ['directory.roles_updated'],
    method: 'delete',
    path,
    params: directoryParams,
    title: 'Remove the role table of a directory',
    description:
      'Users have the roles again that the identity provider pushes. Those who look different are told by `user.updated` with the reason `mapping`. A preview with `groups: null` says how many those are.',
    responses: { 200: { description: 'No role table, with the recomputation that has begun.', data: roleTableSchema } },
    handler: async ({ input: { params }, deps }) => presentTable(await deps.roles.set(params.directoryId, undefined)),
  }),
  defineOperation({
    ...common,
    id: 'roles.preview',
    scope: 'people:read',
    audit: { none: 'It only reads.' },
    method: 'post',
    path: `${path}/preview`,
    params: directoryParams,
    title: 'Preview a role table',
    description:
      'Computes the roles of the newest users with a role table, or without one, and stores nothing: what they are, which groups do not exist, and how many users would change. One preview runs at a time in a process: others wait.',
    body: { schema: previewRequest, isOptional: true, ...bodyLimit },
    responses: { 200: { description: 'What the role table, or its removal, would change.', data: previewSchema } },
    handler: async ({ ctx, input: { params, body }, deps }) =>
      presentPreview(await deps.roles.preview(params.directoryId, toPreviewed(body), { limit: body.limit, signal: signalOf(ctx) })),
  }),
];
