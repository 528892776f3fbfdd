import { z } from 'zod';
import { parseRequest } from '../parse-request.ts';
import { text } from '../text.ts';

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
