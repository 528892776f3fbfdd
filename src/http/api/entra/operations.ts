import { z } from 'zod';
import { isNarrowed } from '../../../access/narrowing.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { presentDirectory, showSecrets } from '../directories/presenter.ts';
import { directorySchema } from '../directories/schemas.ts';
import { field, text } from '../schema-fields.ts';

const word = text.trim().min(1, 'must not be empty').max(4_000, 'may have at most 4000 characters');

const entraTenantRequest = z
  .object({
    tenant: word.meta({ description: 'The `tenant` that Microsoft sent back.' }),
    state: word.meta({ description: 'The `state` that Microsoft sent back. It serves once.' }),
  })
  .meta({
    id: 'EntraTenantRequest',
    description: 'The parameters that Microsoft sent back.',
    examples: [{ tenant: '5f0a8f5e-0f3c-4a39-8d7a-4a2b6f1f6f10', state: 'k3J9…' }],
  });

const entra = '/api/v1/directory-sync/{directoryId}/entra';
const common = { tag: 'Entra', auth: 'apiKey', scope: 'directories:write', method: 'post', params: directoryParams } as const;

const authorizationUrlSchema = z
  .strictObject({
    authorizationUrl: field(
      z.string(),
      'The address to send the administrator to.',
      'https://login.microsoftonline.com/organizations/v2.0/adminconsent?…',
    ),
  })
  .meta({ id: 'EntraAuthorizationUrl', description: 'The address at which an administrator of the tenant gives consent.' });

/** The steps of a consent, for applications with their own consent flow. The operations for Google have a code instead of a tenant. */
export const entraOperations = [
  defineOperation({
    ...common,
    id: 'entra.generateAuthorizationUrl',
    audit: ['directory.authorization_started'],
    path: `${entra}/authorization-url`,
    title: 'Generate a consent URL',
    description: 'Returns the address at which an administrator of the Entra tenant gives consent.',
    responses: { 200: { description: 'The address.', data: authorizationUrlSchema } },
    errors: { 400: true },
    handler: async ({ input: { params }, deps }) => ({
      authorizationUrl: await deps.authorization.generateAuthorizationUrl(params.directoryId, 'entra'),
    }),
  }),
  defineOperation({
    ...common,
    id: 'entra.setTenant',
    audit: ['directory.authorized'],
    path: `${entra}/tenant`,
    title: 'Complete a consent',
    description:
      'Accepts the tenant and state that Microsoft sent back, and starts a sync run. A directory that has a tenant keeps it. A narrowed key can only do this for a directory that has one.',
    body: { schema: entraTenantRequest },
    responses: { 200: { description: 'The directory.', data: directorySchema } },
    errors: {
      403: 'The consent was given for another tenant than the one of the directory, or the API key is narrowed and the directory has none.',
    },
    handler: async ({ input: { params, body }, deps, caller }) =>
      presentDirectory(
        await deps.authorization.setAccount({
          directoryId: params.directoryId,
          type: 'entra',
          account: body.tenant,
          state: body.state,
          isNarrowed: isNarrowed(caller.narrowed),
        }),
        deps.baseUrl(),
        showSecrets(caller, deps),
      ),
  }),
];
