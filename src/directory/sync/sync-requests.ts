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

export const exchangeRequest = z.object({ code: token, state: token.optional() });

/** As the library writes them, or as they stand in the token record. */
export const tokenRequest = z.object({
  accessToken: token.optional(),
  refreshToken: token.optional(),
  access_token: token.optional(),
  refresh_token: token.optional(),
  expiry_date: z.number('must be a time in ms since 1970').int('must be a time in ms since 1970').min(0).max(8.64e15).optional(),
  /** Of the token record, and let pass. */
  scope: z.string().optional(),
  token_type: z.string().optional(),
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

export const syncRequest = z.object({
  confirm: z.string('must be given once').trim().min(1, 'must name the run that is confirmed').max(100).optional(),
});

export const readSyncRequest = (value: unknown) => read(syncRequest, value);

function read<Schema extends z.ZodObject>(schema: Schema, value: unknown): z.infer<Schema> {
  refuseMisspelt(value, Object.keys(schema.shape));
  return readRequest(schema, value);
}
