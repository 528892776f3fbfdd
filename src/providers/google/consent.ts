import { ProviderError, type DirectoryProvider, type TokenRecord } from '../../directory/sync/provider.ts';
import { consentTokensSchema, validateResponse } from './responses.ts';
import { readConsentClient, type ConsentClient } from './select-access.ts';
import { createOAuthClient, type OAuthClient } from './clients.ts';
import { explainFailure } from './explain-failure.ts';
import { scopes, type GoogleAddresses, type GoogleOptions } from './settings.ts';
import { withTimeout } from '../../shared/timeout.ts';

type Consent = Pick<DirectoryProvider, 'authorizationUrl' | 'exchangeCode'>;
type UrlOptions = NonNullable<Parameters<OAuthClient['generateAuthUrl']>[0]>;

const s256 = 'S256' as NonNullable<UrlOptions['code_challenge_method']>;

/** The OAuth consent flow: the address to send an administrator to, and the exchange of the code. */
export const createConsent = (options: GoogleOptions, addresses: GoogleAddresses): Consent => ({
  authorizationUrl: ({ state, codeChallenge, redirectUrl, domain }) =>
    createOAuthClient(requireClient(options), addresses).generateAuthUrl({
      access_type: 'offline',
      prompt: 'consent',
      scope: scopes,
      state,
      redirect_uri: redirectUrl,
      code_challenge: codeChallenge,
      code_challenge_method: s256,
      ...(domain !== '' && { hd: domain }),
    }),

  async exchangeCode({ code, codeVerifier, redirectUrl, signal }) {
    const client = requireClient(options);
    const given = { code, redirect_uri: redirectUrl, ...(codeVerifier !== undefined && { codeVerifier }) };
    try {
      const { tokens } = await withTimeout(addresses.requestTimeoutMs, signal, (ending) =>
        createOAuthClient(client, addresses, ending).getToken(given),
      );
      return toRecord(tokens);
    } catch (error) {
      signal?.throwIfAborted();
      throw explainFailure(error, { for: 'code', by: 'consent', timeoutMs: addresses.requestTimeoutMs });
    }
  },
});

function requireClient(options: GoogleOptions): ConsentClient {
  const client = readConsentClient(options);
  if ('missing' in client) throw new ProviderError('rejected', client.missing);
  return client;
}

function toRecord(response: unknown): TokenRecord {
  const {
    access_token,
    refresh_token,
    scope = scopes.join(' '),
    token_type = 'Bearer',
    expiry_date,
  } = validateResponse(consentTokensSchema, response);
  if (refresh_token === undefined)
    throw new ProviderError(
      'rejected',
      'Google returned no refresh token. Remove the access of this client in the Google account and authorize again.',
    );
  return { access_token, refresh_token, scope, token_type, expiry_date };
}
