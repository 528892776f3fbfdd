import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { assertConsistent, type Operation } from '../operation.ts';
import { exampleId, field } from '../api/schema-fields.ts';
import { readCredentials } from '../server/credentials.ts';
import { readTokenRequest, usesBasic } from './read-token-request.ts';
import { tokenPath } from './token-path.ts';

const tokenRequest = z
  .object({
    grant_type: field(z.literal('client_credentials'), 'The grant.', 'client_credentials'),
    client_id: field(z.string(), 'The ID of the client, unless it is sent by HTTP Basic.', exampleId).optional(),
    client_secret: field(z.string(), 'The secret of the client, unless it is sent by HTTP Basic.', 'rcs_Q2xpZW50IHNlY3JldA…').optional(),
    scope: field(z.string(), 'Ignored: an access token is for SCIM requests to the directory of the client.', 'scim').optional(),
  })
  .meta({ id: 'TokenRequest', description: 'A request for an access token (RFC 6749, section 4.4.2).' });

const tokenSchema = z
  .strictObject({
    access_token: field(z.string(), 'The access token.', 'rct_QWNjZXNzIHRva2Vu…'),
    token_type: field(z.literal('Bearer'), 'How the token is sent.', 'Bearer'),
    expires_in: field(z.int(), 'The seconds until the token expires.', 3_600),
    scope: field(z.literal('scim'), 'What the token is for.', 'scim'),
  })
  .meta({ id: 'AccessToken', description: 'An access token for the SCIM address of one directory.' });

const issueAccessToken: Operation = {
  id: 'issueAccessToken',
  method: 'post',
  path: tokenPath,
  tag: 'OAuth clients',
  auth: 'none',
  format: 'oauth',
  title: 'Issue an access token',
  description:
    'An identity provider sends the credentials of its OAuth client by HTTP Basic or in the body, and gets an access token for the SCIM address of the directory.',
  body: { schema: tokenRequest },
  responses: { 200: { description: 'The access token.', headers: ['Cache-Control'], body: tokenSchema } },
  errors: {
    400: true,
    401: 'Unknown OAuth client or invalid secret, or the client has expired or is revoked.',
    413: 'The body is larger than 8192 bytes.',
    429: 'There were too many failed authentications.',
  },
  async handle(ctx, deps) {
    const { clientId, clientSecret } = await readTokenRequest(ctx);
    const issued = await deps.issueToken(clientId, clientSecret);
    if (!issued) {
      if (usesBasic(ctx)) ctx.set('WWW-Authenticate', 'Basic realm="Rollcall"');
      throw deps.countFailedAuthentication(
        ctx,
        { at: 'token' },
        new AppError(
          'unauthorized',
          'Unknown OAuth client or invalid secret. Clients that have expired or are revoked get no access token.',
        ),
      );
    }
    // Others at the same address must not use up its limits. Only credentials in a header can be read before the body.
    const shown = readCredentials(ctx);
    if (shown !== undefined) deps.limiting?.known.remember(shown);
    ctx.set('Pragma', 'no-cache');
    ctx.body = {
      access_token: issued.token,
      token_type: 'Bearer',
      expires_in: issued.expiresInSeconds,
      scope: 'scim',
    } satisfies z.output<typeof tokenSchema>;
  },
};
assertConsistent(issueAccessToken);

/** An identity provider calls these with the credentials of an OAuth client. */
export const oauthOperations: Operation[] = [issueAccessToken];
