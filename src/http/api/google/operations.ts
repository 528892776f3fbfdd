import { z } from 'zod';
import type { TokenRecord } from '../../../directory/sync/provider.ts';
import { defineOperation } from '../define-operation.ts';
import { presentDirectory } from '../directories/presenter.ts';
import { directorySchema } from '../directories/schemas.ts';
import { field } from '../field.ts';
import { directoryParams } from '../params.ts';
import { exchangeRequest, toTokens, tokenRequest } from './requests.ts';

const google = '/api/v1/directory-sync/{directoryId}/google';
const common = { tag: 'Google', auth: 'apiKey', method: 'post', params: directoryParams } as const;

const authorizationUrlSchema = z
  .strictObject({
    authorizationUrl: field(z.string(), 'The address to send the administrator to.', 'https://accounts.google.com/o/oauth2/v2/auth?…'),
  })
  .meta({ id: 'GoogleAuthorizationUrl', description: 'The address at which an administrator authorizes a directory.' });

const tokensSchema = z
  .strictObject({
    access_token: field(z.string(), 'The access token.', 'ya29.a0AfH6…'),
    refresh_token: field(z.string(), 'The refresh token.', '1//0gK9…'),
    scope: field(z.string(), 'The scopes of the access token.', 'https://www.googleapis.com/auth/admin.directory.user.readonly'),
    token_type: field(z.string(), 'The type of the access token.', 'Bearer'),
    expiry_date: field(z.number(), 'When the access token expires, in milliseconds since 1970.', 1826786634120),
  })
  .meta({ id: 'GoogleTokens', description: 'The tokens that Google returned for a code.' }) satisfies z.ZodType<TokenRecord>;

/** The three steps of an authorization, for an application that leads its customer through them itself. */
export const googleOperations = [
  defineOperation({
    ...common,
    id: 'google.generateAuthorizationUrl',
    path: `${google}/authorization-url`,
    title: 'Generate an authorization URL',
    description: 'Returns the address at which an administrator authorizes the directory.',
    responses: { 200: { description: 'The address.', data: authorizationUrlSchema } },
    errors: { 400: true },
    handler: async ({ input: { params }, deps }) => ({
      authorizationUrl: await deps.authorization.generateAuthorizationUrl(params.directoryId),
    }),
  }),
  defineOperation({
    ...common,
    id: 'google.getAccessToken',
    path: `${google}/exchange`,
    title: 'Exchange a code for tokens',
    description: 'Exchanges the code that Google sent back for tokens. They are not stored: send them to `google.setToken`.',
    body: { schema: exchangeRequest },
    responses: { 200: { description: 'The tokens.', data: tokensSchema } },
    handler: ({ input: { params, body }, deps }) => deps.authorization.exchangeCode(params.directoryId, body.code, body.state),
  }),
  defineOperation({
    ...common,
    id: 'google.setToken',
    path: `${google}/token`,
    title: 'Set the tokens of a directory',
    description: 'Stores the tokens of a directory and starts a sync run.',
    body: { schema: tokenRequest },
    responses: { 200: { description: 'The directory.', data: directorySchema } },
    handler: async ({ input: { params, body }, deps }) =>
      presentDirectory(await deps.authorization.setToken(params.directoryId, toTokens(body)), deps.baseUrl()),
  }),
];
