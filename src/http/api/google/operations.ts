import { z } from 'zod';
import type { TokenRecord } from '../../../directory/sync/provider.ts';
import { defineOperation, directoryParams, parseRequest } from '../define-operation.ts';
import { presentDirectory, showSecrets } from '../directories/presenter.ts';
import { directorySchema } from '../directories/schemas.ts';
import { field, text } from '../schema-fields.ts';
const token = text.trim().min(1, 'must not be empty').max(4_000, 'may have at most 4000 characters');

export const exchangeRequest = z
  .object({
    code: token.meta({ description: 'The `code` that Google sent back.' }),
    state: token.optional().meta({
      description:
        'The `state` that Google sent back; default: any authorization of this directory that began within the last ten minutes.',
    }),
  })
  .meta({ id: 'GoogleCodeRequest', description: 'The parameters that Google sent back.', examples: [{ code: '4/0AX4XfWh…' }] });

export const tokenRequest = z
  .object({
    accessToken: token.optional().meta({ description: 'The access token.' }),
    refreshToken: token.optional().meta({ description: 'The refresh token.' }),
    access_token: token.optional().meta({ description: 'Alias of `accessToken`.' }),
    refresh_token: token.optional().meta({ description: 'Alias of `refreshToken`.' }),
    expiry_date: z
      .number('must be a time in ms since 1970')
      .int('must be a time in ms since 1970')
      .min(0)
      .max(8.64e15)
      .optional()
      .meta({ description: 'When the access token expires, in milliseconds since 1970.', examples: [1_826_786_634_120] }),
    scope: z
      .string()
      .optional()
      .meta({ description: 'Ignored. Accepted so that the tokens of `google.getAccessToken` can be sent as they are.' }),
    token_type: z
      .string()
      .optional()
      .meta({ description: 'Ignored. Accepted so that the tokens of `google.getAccessToken` can be sent as they are.' }),
  })
  .meta({
    id: 'GoogleTokenRequest',
    description: 'The tokens of a directory.',
    examples: [{ accessToken: 'ya29.a0AfH6…', refreshToken: '1//0gK9…' }],
  });

const required = z.object({ accessToken: token, refreshToken: token });

export function toTokens({ expiry_date: expiresAtMs, ...given }: z.output<typeof tokenRequest>) {
  const tokens = parseRequest(required, {
    accessToken: given.accessToken ?? given.access_token,
    refreshToken: given.refreshToken ?? given.refresh_token,
  });
  return { ...tokens, expiresAt: expiresAtMs === undefined ? undefined : new Date(expiresAtMs) };
}

const google = '/api/v1/directory-sync/{directoryId}/google';
const common = { tag: 'Google', auth: 'apiKey', scope: 'directories:write', method: 'post', params: directoryParams } as const;

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
    audit: ['directory.authorization_started'],
    path: `${google}/authorization-url`,
    title: 'Generate an authorization URL',
    description: 'Returns the address at which an administrator authorizes the directory.',
    responses: { 200: { description: 'The address.', data: authorizationUrlSchema } },
    errors: { 400: true },
    handler: async ({ input: { params }, deps }) => ({
      authorizationUrl: await deps.authorization.generateAuthorizationUrl(params.directoryId, 'google'),
    }),
  }),
  defineOperation({
    ...common,
    id: 'google.getAccessToken',
    audit: ['directory.code_exchanged'],
    path: `${google}/exchange`,
    title: 'Exchange a code for tokens',
    description: 'Exchanges the code that Google sent back for tokens. They are not stored: send them to `google.setToken`.',
    body: { schema: exchangeRequest },
    responses: { 200: { description: 'The tokens.', data: tokensSchema } },
    handler: ({ input: { params, body }, deps }) =>
      deps.authorization.exchangeCode({ directoryId: params.directoryId, type: 'google', code: body.code, state: body.state }),
  }),
  defineOperation({
    ...common,
    id: 'google.setToken',
    audit: ['directory.authorized'],
    path: `${google}/token`,
    title: 'Set the tokens of a directory',
    description: 'Stores the tokens of a directory and starts a sync run.',
    body: { schema: tokenRequest },
    responses: { 200: { description: 'The directory.', data: directorySchema } },
    handler: async ({ input: { params, body }, deps, caller }) =>
      presentDirectory(
        await deps.authorization.setToken(params.directoryId, 'google', toTokens(body)),
        deps.baseUrl(),
        showSecrets(caller, deps),
      ),
  }),
];
