import { z } from 'zod';
import { isNarrowed } from '../../../access/narrowing.ts';
import { accountNarrowed } from '../../../directory/sync/authorization-errors.ts';
import { AppError } from '../../../errors.ts';
import { isForPolis } from '../../server/routing.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { queryCount, toTime } from '../schema-fields.ts';
import { assertMayCreate, assertOwnServiceAccount, assertSameAccount } from './assert-narrowing.ts';
import { directoryListOperations } from './list-operations.ts';
import { presentRead, secretsQuery } from './present-read.ts';
import { presentWarnings } from './present-warnings.ts';
import { presentCreatedDirectory, presentDirectory, presentHealth, presentWorkflowsUrl, showSecrets } from './presenter.ts';
import { createDirectoryRequest, rotateScimSecretRequest, toDirectorySettings, updateDirectoryRequest } from './requests.ts';
import {
  createdDirectorySchema,
  deletedDirectorySchema,
  directorySchema,
  directoryWithHealthSchema,
  rotatedScimSecretSchema,
} from './schemas.ts';

const all = '/api/v1/directory-sync';
const one = `${all}/{directoryId}`;
const common = { tag: 'Directories', auth: 'apiKey' } as const;
const deletionQuery = z.object({
  confirm: queryCount.optional().meta({
    description: 'How many events the deletion may send: the `confirm` of its error `confirmation_required`.',
    examples: [1825],
  }),
  force: z
    .enum(['true', 'false'], 'must be true or false')
    .optional()
    .meta({
      description: 'With `true`, the directory is gone at once, with events that are not delivered; default: false.',
      examples: ['true'],
    }),
});

export const directoryOperations = [
  defineOperation({
    ...common,
    id: 'directories.create',
    scope: 'directories:write',
    reach: 'narrowed',
    audit: ['directory.created'],
    method: 'post',
    path: all,
    title: 'Create a directory',
    description:
      'The response contains the SCIM address and the secret for the identity provider, and the secret that webhooks are signed with.',
    body: { schema: createDirectoryRequest },
    responses: { 201: { description: 'The new directory.', data: createdDirectorySchema } },
    handler: async ({ input: { body, ignored }, deps, caller }) => {
      const { tenant: ofTenant, product: ofProduct, type } = body;
      assertMayCreate(caller, body);
      assertOwnServiceAccount(caller, body);
      if (isNarrowed(caller.narrowed) && body.entra_tenant_id) throw accountNarrowed('entra_tenant_id');
      const created = await deps.directories.create({ tenant: ofTenant, product: ofProduct, type, ...toDirectorySettings(body) });
      return {
        ...presentCreatedDirectory(created, deps.baseUrl(), showSecrets(caller, deps)),
        ...(await presentWarnings(body, ignored, created, deps)),
      };
    },
  }),
  ...directoryListOperations,
  defineOperation({
    ...common,
    id: 'directories.get',
    scope: 'directories:read',
    audit: ['directory.secrets_read'],
    method: 'get',
    path: one,
    params: directoryParams,
    title: 'Get a directory',
    description: 'Returns a directory with its health.',
    query: secretsQuery,
    responses: { 200: { description: 'The directory.', data: directoryWithHealthSchema } },
    handler: async ({ input: { params, query }, deps, caller, ctx }) => {
      const { directory, ...health } = await deps.directories.getWithHealth(params.directoryId);
      const [presented] = await presentRead([directory], deps, caller, query);
      const warnings = await deps.scimClients.findWarnings(directory);
      return {
        ...presented!,
        ...(warnings.length > 0 && { warnings }),
        health: presentHealth(health),
        ...presentWorkflowsUrl(directory, caller, deps, ctx.get('host')),
      };
    },
  }),
  defineOperation({
    ...common,
    id: 'directories.update',
    scope: 'directories:write',
    audit: ['directory.updated', 'directory.authorized'],
    method: 'patch',
    path: one,
    params: directoryParams,
    title: 'Update a directory',
    description: 'Changes the given fields. An empty `webhook_url` removes the webhook. `tenant`, `product` and `type` cannot be changed.',
    body: { schema: updateDirectoryRequest },
    responses: { 200: { description: 'The updated directory.', data: directorySchema } },
    errors: { 409: 'A change of `inactive_users` would send events, and `confirm` is not their number.' },
    handler: async ({ input: { params, body, ignored }, deps, caller }) => {
      const { tenant: ofTenant, product: ofProduct, type } = body;
      const fixed = { tenant: ofTenant, product: ofProduct, type };
      assertOwnServiceAccount(caller, body);
      await assertSameAccount(caller, params.directoryId, body, deps);
      const { directory, createsWebhookSecret } = await deps.directories.update(params.directoryId, {
        ...fixed,
        ...toDirectorySettings(body),
      });
      const shown =
        body.include_secrets === false
          ? { webhookSecret: createsWebhookSecret, others: false }
          : showSecrets(caller, deps, { createsWebhookSecret });
      return { ...presentDirectory(directory, deps.baseUrl(), shown), ...(await presentWarnings(body, ignored, directory, deps)) };
    },
  }),
  defineOperation({
    ...common,
    id: 'directories.delete',
    scope: 'directories:delete',
    audit: ['directory.deleted'],
    method: 'delete',
    path: one,
    params: directoryParams,
    title: 'Delete a directory',
    description:
      'Deletes a directory with its users, groups and events, delivered or not. With `on_directory_delete: events` it is deactivated, its state is `deleting`, and it is gone once the removals of its users and groups are delivered.',
    query: deletionQuery,
    responses: { 200: { description: 'The directory is deleted, or is being deleted.', data: deletedDirectorySchema } },
    errors: { 409: 'The deletion would send events, and `confirm` is less than their number.' },
    handler: async ({ input: { params, query }, deps, ctx }) => {
      const removal = { confirmed: query.confirm, force: query.force === 'true' };
      const removed = await deps.directories.remove(params.directoryId, removal).catch((error: unknown) => {
        if (!(isForPolis(ctx) && error instanceof AppError && error.code === 'not_found')) throw error;
      });
      return removed === 'removing' ? { state: 'deleting' as const } : {};
    },
  }),
  defineOperation({
    ...common,
    id: 'directories.rotateScimSecret',
    scope: 'directories:write',
    audit: ['directory.scim_secret_rotated'],
    method: 'post',
    path: `${one}/scim/secret/rotate`,
    params: directoryParams,
    title: 'Rotate the SCIM secret',
    description:
      'Creates a new SCIM secret. The previous one stays valid for `overlap_seconds`, while you change it at the identity provider.',
    body: { schema: rotateScimSecretRequest, isOptional: true },
    responses: { 200: { description: 'The new secret.', data: rotatedScimSecretSchema } },
    handler: async ({ input: { params, body }, deps }) => {
      const { secret, overlap_seconds: overlapSeconds, expires_at: expiresAt } = body;
      const rotated = await deps.scimSecrets.rotate(params.directoryId, { secret, overlapMs: overlapSeconds * 1_000, expiresAt });
      return {
        secret: rotated.secret,
        expires_at: toTime(rotated.expiresAt),
        previous_valid_until: toTime(rotated.previousValidUntil),
      };
    },
  }),
];
