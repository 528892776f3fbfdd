import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { defineOperation } from '../define-operation.ts';
import { pathParam } from '../../operation.ts';
import { createListCursors, cursorPageQuery, idPosition, pageBody } from '../cursor.ts';
import { exampleId, toTime } from '../schema-fields.ts';
import { presentApiKey, presentCreatedApiKey } from './presenter.ts';
import { createApiKeyRequest, rotateApiKeyRequest, toApiKeyChange, toApiKeyRequest, updateApiKeyRequest } from './requests.ts';
import { apiKeySchema, createdApiKeySchema, rotatedApiKeySchema } from './schemas.ts';

const all = '/api/v1/api-keys';
const one = `${all}/{apiKeyId}`;
const common = { tag: 'API keys', auth: 'apiKey', scope: 'keys:write', reach: 'narrowed' } as const;
const params = z.object({ apiKeyId: pathParam("The API key's ID.", exampleId) });
const key = { 200: { description: 'The API key.', data: apiKeySchema } };
const moreRights = { 403: 'It would have more rights than the key that sends the request.' };

/** Ignoring a field that should limit a key would give it more rights than the caller meant. */
function rejectIgnored([field]: string[]): void {
  if (field === undefined) return;
  const isFixed = ['tenant', 'product', 'directory_id'].includes(field);
  throw new AppError('invalid_request', isFixed ? `${field} is fixed: create another API key instead.` : `Unknown field ${field}.`, {
    field,
  });
}
const cursors = createListCursors('API keys', idPosition);

export const apiKeyOperations = [
  defineOperation({
    ...common,
    id: 'apiKeys.create',
    audit: ['api_key.created'],
    method: 'post',
    path: all,
    title: 'Create an API key',
    description:
      'The response contains the key, which cannot be read again. A key can create only keys with no more scopes, tenants and networks than its own, and no later expiry.',
    body: { schema: createApiKeyRequest },
    responses: { 201: { description: 'The new API key.', data: createdApiKeySchema } },
    errors: { ...moreRights, 404: 'There is no directory with this ID.' },
    handler: async ({ input: { body, ignored }, deps, caller }) => {
      rejectIgnored(ignored);
      return presentCreatedApiKey(await deps.apiKeys.create(caller, toApiKeyRequest(body)));
    },
  }),
  defineOperation({
    ...common,
    id: 'apiKeys.list',
    method: 'get',
    path: all,
    title: 'List API keys',
    description:
      'Lists the API keys, newest first, including revoked ones. A narrowed key sees only keys that are narrowed at least as far.',
    query: cursorPageQuery,
    responses: { 200: { description: 'The API keys.', body: pageBody(apiKeySchema, 'ApiKeyPage', 'API keys') } },
    handler: async ({ input: { query }, deps, caller }) => {
      const scope = caller.narrowed;
      return cursors.toBody(await deps.apiKeys.list(caller, cursors.readPage(query, scope)), scope, presentApiKey);
    },
  }),
  defineOperation({
    ...common,
    id: 'apiKeys.get',
    method: 'get',
    path: one,
    params,
    title: 'Get an API key',
    responses: key,
    handler: async ({ input, deps, caller }) => presentApiKey(await deps.apiKeys.get(caller, input.params.apiKeyId)),
  }),
  defineOperation({
    ...common,
    id: 'apiKeys.update',
    audit: ['api_key.updated'],
    method: 'patch',
    path: one,
    params,
    title: 'Update an API key',
    description: 'Changes the given fields. You cannot change what the key is narrowed to. Takes effect within a second.',
    body: { schema: updateApiKeyRequest },
    responses: key,
    errors: moreRights,
    handler: async ({ input: { params: of, body, ignored }, deps, caller }) => {
      rejectIgnored(ignored);
      return presentApiKey(await deps.apiKeys.update(caller, of.apiKeyId, toApiKeyChange(body)));
    },
  }),
  defineOperation({
    ...common,
    id: 'apiKeys.revoke',
    audit: ['api_key.revoked'],
    method: 'delete',
    path: one,
    params,
    title: 'Revoke an API key',
    description: 'Every process rejects the key within a second. It stays in the list.',
    responses: key,
    errors: moreRights,
    handler: async ({ input, deps, caller }) => presentApiKey(await deps.apiKeys.revoke(caller, input.params.apiKeyId)),
  }),
  defineOperation({
    ...common,
    id: 'apiKeys.rotate',
    audit: ['api_key.rotated'],
    method: 'post',
    path: `${one}/rotate`,
    params,
    title: 'Rotate an API key',
    description: 'Creates a new value. The previous one stays valid for `overlap_seconds`, while you change it where it is used.',
    body: { schema: rotateApiKeyRequest, isOptional: true },
    responses: { 200: { description: 'The API key with its new value.', data: rotatedApiKeySchema } },
    errors: moreRights,
    handler: async ({ input, deps, caller }) => {
      const { previousValidUntil, ...rotated } = await deps.apiKeys.rotate(
        caller,
        input.params.apiKeyId,
        input.body.overlap_seconds * 1_000,
      );
      return { ...presentCreatedApiKey(rotated), previous_valid_until: toTime(previousValidUntil) };
    },
  }),
];
