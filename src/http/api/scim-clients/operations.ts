import { AppError } from '../../../errors.ts';
import { pathParam } from '../../operation.ts';
import { tokenPath } from '../../oauth/token-path.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { createListCursors, cursorPageQuery, idPosition, pageBody } from '../cursor.ts';
import { exampleId } from '../schema-fields.ts';
import {
  createdScimClientSchema,
  createScimClientRequest,
  presentScimClient,
  scimClientSchema,
  updateScimClientRequest,
} from './schemas.ts';

const all = '/api/v1/directory-sync/{directoryId}/scim/clients';
const one = `${all}/{clientId}`;
const common = { tag: 'OAuth clients', auth: 'apiKey', scope: 'directories:write' } as const;
const params = directoryParams.extend({ clientId: pathParam("The client's `client_id`.", exampleId) });
const client = { 200: { description: 'The OAuth client.', data: scimClientSchema } };

/** Ignoring a misspelled `expires_at` would let a client live longer than the caller meant. */
function rejectIgnored([field]: string[]): void {
  if (field !== undefined) throw new AppError('invalid_request', `Unknown field ${field}.`, { field });
}
const cursors = createListCursors('OAuth clients', idPosition);

export const scimClientOperations = [
  defineOperation({
    ...common,
    id: 'scimClients.create',
    audit: ['scim_client.created'],
    method: 'post',
    path: all,
    params: directoryParams,
    title: 'Create an OAuth client',
    description:
      'Returns the credentials with which the identity provider of the directory gets access tokens. The secret cannot be read again. Create a second client before the first expires: several can be active.',
    body: { schema: createScimClientRequest },
    responses: { 201: { description: 'The new OAuth client.', data: createdScimClientSchema } },
    handler: async ({ input: { params: of, body, ignored }, deps }) => {
      rejectIgnored(ignored);
      const created = await deps.scimClients.create(of.directoryId, { name: body.name, expiresAt: body.expires_at });
      return {
        ...presentScimClient(created.client),
        client_secret: created.secret,
        token_endpoint: `${deps.baseUrl()}${tokenPath}`,
      };
    },
  }),
  defineOperation({
    ...common,
    id: 'scimClients.list',
    scope: 'directories:read',
    method: 'get',
    path: all,
    params: directoryParams,
    title: 'List OAuth clients',
    description: 'Lists the OAuth clients of a directory, newest first, including revoked and expired ones.',
    query: cursorPageQuery,
    responses: { 200: { description: 'The OAuth clients.', body: pageBody(scimClientSchema, 'ScimClientPage', 'OAuth clients') } },
    handler: async ({ input: { params: of, query }, deps }) => {
      const scope = of.directoryId;
      return cursors.toBody(await deps.scimClients.list(of.directoryId, cursors.readPage(query, scope)), scope, presentScimClient);
    },
  }),
  defineOperation({
    ...common,
    id: 'scimClients.get',
    scope: 'directories:read',
    method: 'get',
    path: one,
    params,
    title: 'Get an OAuth client',
    responses: client,
    handler: async ({ input: { params: of }, deps }) => presentScimClient(await deps.scimClients.get(of.directoryId, of.clientId)),
  }),
  defineOperation({
    ...common,
    id: 'scimClients.update',
    audit: ['scim_client.updated'],
    method: 'patch',
    path: one,
    params,
    title: 'Update an OAuth client',
    description: 'Changes the name or the expiry. The secret cannot be changed: create another client.',
    body: { schema: updateScimClientRequest },
    responses: client,
    handler: async ({ input: { params: of, body, ignored }, deps }) => {
      rejectIgnored(ignored);
      const change = { name: body.name, expiresAt: body.expires_at };
      return presentScimClient(await deps.scimClients.update(of.directoryId, of.clientId, change));
    },
  }),
  defineOperation({
    ...common,
    id: 'scimClients.revoke',
    audit: ['scim_client.revoked'],
    method: 'delete',
    path: one,
    params,
    title: 'Revoke an OAuth client',
    description:
      'Every process rejects the client and its access tokens within a second. It stays in the list. `warnings` says if the directory now rejects every push.',
    responses: client,
    handler: async ({ input: { params: of }, deps }) => {
      const revoked = await deps.scimClients.revoke(of.directoryId, of.clientId);
      return { ...presentScimClient(revoked.client), ...(revoked.warnings.length > 0 && { warnings: revoked.warnings }) };
    },
  }),
  defineOperation({
    ...common,
    id: 'scimClients.revokeTokens',
    audit: ['scim_client.tokens_revoked'],
    method: 'delete',
    path: `${one}/tokens`,
    params,
    title: 'Revoke the access tokens of an OAuth client',
    description: 'Every process rejects the access tokens within a second. The client can get new ones.',
    responses: client,
    handler: async ({ input: { params: of }, deps }) => presentScimClient(await deps.scimClients.revokeTokens(of.directoryId, of.clientId)),
  }),
];
