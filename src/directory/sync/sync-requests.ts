import { z } from 'zod';
import { isCleanText } from '../../scim/text.ts';
import { readRequest } from '../directory-requests.ts';
import { refuseMisspelt } from '../refuse-misspelt.ts';

const token = z
  .string('must be a string')
  .trim()
  .min(1, 'must not be empty')
  .max(4_000, 'may have at most 4000 characters')
  .refine(isCleanText, 'must not contain NUL characters or lone surrogates');

export const exchangeRequest = z
  .object({
    code: token.meta({ description: 'What came back in `code`.' }),
    state: token.optional().meta({
      description:
        'What came back in `state`; without it, any authorisation of this directory that was begun in the last ten minutes is meant.',
    }),
  })
  .meta({ id: 'GoogleCodeRequest', description: 'What came back from Google.', examples: [{ code: '4/0AX4XfWh…' }] });

/** As the library writes them, or as they stand in the token record. */
export const tokenRequest = z
  .object({
    accessToken: token.optional().meta({ description: 'The access token.' }),
    refreshToken: token.optional().meta({ description: 'The refresh token.' }),
    access_token: token.optional().meta({ description: 'Another name of `accessToken`.' }),
    refresh_token: token.optional().meta({ description: 'Another name of `refreshToken`.' }),
    expiry_date: z
      .number('must be a time in ms since 1970')
      .int('must be a time in ms since 1970')
      .min(0)
      .max(8.64e15)
      .optional()
      .meta({ description: 'Until when the access token is valid, in ms since 1970.', examples: [1_826_786_634_120] }),
    /** Of the token record, and let pass. */
    scope: z.string().optional().meta({ description: 'Of the token record; passed over.' }),
    token_type: z.string().optional().meta({ description: 'Of the token record; passed over.' }),
  })
  .meta({
    id: 'GoogleTokenRequest',
    description: 'The tokens, under either name.',
    examples: [{ accessToken: 'ya29.a0AfH6…', refreshToken: '1//0gK9…' }],
  });

const required = z.object({ accessToken: token, refreshToken: token });

export const readExchangeRequest = (value: unknown) => read(exchangeRequest, value);

export function readTokenRequest(value: unknown): { accessToken: string; refreshToken: string; expiresAt: Date | undefined } {
  const given = read(tokenRequest, value);
  const tokens = readRequest(required, {
    accessToken: given.accessToken ?? given.access_token,
    refreshToken: given.refreshToken ?? given.refresh_token,
  });
  return { ...tokens, expiresAt: given.expiry_date === undefined ? undefined : new Date(given.expiry_date) };
}

export const syncRequest = z
  .object({
    confirm: z
      .string('must be given once')
      .trim()
      .min(1, 'must name the run that is confirmed')
      .max(100)
      .optional()
      .meta({ description: 'The run that waits for its removals to be confirmed.', examples: ['0b9f1c62-6f0e-4c8a-9c3b-1f2d8a7e5c41'] }),
  })
  .meta({ id: 'SyncRequest', description: 'What is to be confirmed, if anything.' });

export const readSyncRequest = (value: unknown) => read(syncRequest, value);

function read<Schema extends z.ZodObject>(schema: Schema, value: unknown): z.infer<Schema> {
  refuseMisspelt(value, Object.keys(schema.shape));
  return readRequest(schema, value);
}
