import { z } from 'zod';
import { directoryQuery } from '../../directory/directory-requests.ts';
import { exchangeRequest, tokenRequest } from '../../directory/sync/sync-requests.ts';
import type { TokenRecord } from '../../directory/sync/provider.ts';
import { callbackQuery, confirmationQuery, refusedQuery } from '../routes/google-consent.ts';
import { directoryAnswer } from './answers/directory.ts';
import { field } from './answers/field.ts';
import { answerOf, inEnvelope, type Operation } from './operation.ts';

const one = '/api/v1/directory-sync/{directoryId}/google';
const its = { tag: 'Google', auth: 'apiKey' } as const;
const page = { tag: 'Google', auth: 'none', dialect: 'page', method: 'get' } as const;

const authorizationUrl = z
  .strictObject({
    authorizationUrl: field(z.string(), 'Where to send the administrator.', 'https://accounts.google.com/o/oauth2/v2/auth?…'),
  })
  .meta({ id: 'GoogleAuthorizationUrl', description: 'Where an administrator authorises a directory.' });

const tokens = z
  .strictObject({
    access_token: field(z.string(), 'The access token.'),
    refresh_token: field(z.string(), 'The refresh token.'),
    scope: field(z.string(), 'What it is good for.'),
    token_type: field(z.string(), 'Its kind.', 'Bearer'),
    expiry_date: field(z.number(), 'Until when the access token is valid, in ms since 1970.', 1826786634120),
  })
  .meta({ id: 'GoogleTokens', description: 'What Google gave for a code.' }) satisfies z.ZodType<TokenRecord>;

export const googleOperations: Operation[] = [
  {
    ...its,
    operationId: 'google.generateAuthorizationUrl',
    method: 'post',
    path: `${one}/authorization-url`,
    summary: 'Makes the address at which an administrator authorises a directory.',
    answers: { 200: answerOf('The address.', authorizationUrl) },
    refusals: { 400: true },
  },
  {
    ...its,
    operationId: 'google.getAccessToken',
    method: 'post',
    path: `${one}/exchange`,
    summary: 'Exchanges the code that came back for tokens.',
    description: 'It keeps nothing: give the tokens to the next operation.',
    body: { schema: exchangeRequest },
    answers: { 200: answerOf('The tokens.', tokens) },
  },
  {
    ...its,
    operationId: 'google.setToken',
    method: 'post',
    path: `${one}/token`,
    summary: 'Gives a directory its tokens, and has it read.',
    body: { schema: tokenRequest },
    answers: { 200: answerOf('The directory.', directoryAnswer) },
  },
  {
    ...page,
    operationId: 'beginGoogleConsent',
    path: '/api/scim/oauth/authorize',
    summary: 'Shows an administrator what is to be connected, then leads to Google.',
    description: 'The link on the page leads here again, with `continue`. It works in the browser that was shown the page, by a cookie.',
    query: [directoryQuery, confirmationQuery],
    answers: {
      200: { description: 'A page that names tenant, product and directory.', content: { 'text/html': z.string() } },
      302: { description: 'On to Google.', headers: ['Location'], content: { 'text/html': z.string(), 'text/plain': z.string() } },
    },
    refusals: { 403: 'A service account reads it, or it is authorised already.', 404: 'There is nothing to authorise here.' },
  },
  {
    ...page,
    operationId: 'completeGoogleConsent',
    path: '/api/scim/oauth/callback',
    summary: 'Where Google sends the administrator back to.',
    description:
      'Of a link that was made with an API key, the page is shown now, and the directory is authorised when the administrator continues.',
    query: [callbackQuery.partial(), refusedQuery.partial(), confirmationQuery],
    answers: {
      200: {
        description: 'The directory is authorised, and is being read; or the page that names it.',
        content: { 'text/html': z.string(), ...inEnvelope(z.strictObject({ authorized: z.literal(true) })) },
      },
    },
    refusals: { 403: 'It is authorised already, or this is not the browser in which the authorisation was begun.', 404: true },
  },
];
