import { AppError } from '../../../errors.ts';
import { pathParam } from '../../operation.ts';
import { createListCursors, cursorPageQuery, idPosition, pageBody } from '../cursor.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { exampleId } from '../schema-fields.ts';
import { createdUploadTokenSchema, createUploadTokenRequest, presentUploadToken, uploadTokenSchema } from './schemas.ts';

const all = '/api/v1/directory-sync/{directoryId}/upload-tokens';
const common = { tag: 'Files', auth: 'apiKey', scope: 'directories:write' } as const;
const cursors = createListCursors('upload tokens', idPosition);

export const uploadTokenOperations = [
  defineOperation({
    ...common,
    id: 'uploadTokens.create',
    audit: ['upload_token.created'],
    method: 'post',
    path: all,
    params: directoryParams,
    title: 'Create an upload token',
    description:
      'Returns a token with which a job uploads the files of this directory of type `csv`. It can do nothing else, and cannot be read again.',
    body: { schema: createUploadTokenRequest },
    responses: { 201: { description: 'The new token.', data: createdUploadTokenSchema } },
    handler: async ({ input: { params, body, ignored }, deps }) => {
      const [unknown] = ignored;
      // Ignoring a misspelled `expires_at` would let a token live longer than the caller meant.
      if (unknown !== undefined) throw new AppError('invalid_request', `Unknown field ${unknown}.`, { field: unknown });
      const { token, value } = await deps.uploadTokens.create(params.directoryId, { name: body.name, expiresAt: body.expires_at });
      return {
        ...presentUploadToken(token),
        token: value,
        upload_endpoint: `${deps.baseUrl()}/api/v1/directory-sync/${params.directoryId}/files`,
      };
    },
  }),
  defineOperation({
    ...common,
    id: 'uploadTokens.list',
    scope: 'directories:read',
    method: 'get',
    path: all,
    params: directoryParams,
    title: 'List upload tokens',
    description: 'Lists the upload tokens of a directory, newest first, also those that are revoked or expired.',
    query: cursorPageQuery,
    responses: { 200: { description: 'The tokens.', body: pageBody(uploadTokenSchema, 'UploadTokenPage', 'upload tokens') } },
    handler: async ({ input: { params, query }, deps }) => {
      const scope = params.directoryId;
      return cursors.toBody(await deps.uploadTokens.list(scope, cursors.readPage(query, scope)), scope, presentUploadToken);
    },
  }),
  defineOperation({
    ...common,
    id: 'uploadTokens.revoke',
    audit: ['upload_token.revoked'],
    method: 'delete',
    path: `${all}/{tokenId}`,
    params: directoryParams.extend({ tokenId: pathParam("The token's ID.", exampleId) }),
    title: 'Revoke an upload token',
    description: 'Every process rejects the token from now on. It stays in the list.',
    responses: { 200: { description: 'The token.', data: uploadTokenSchema } },
    handler: async ({ input: { params }, deps }) => presentUploadToken(await deps.uploadTokens.revoke(params.directoryId, params.tokenId)),
  }),
];
