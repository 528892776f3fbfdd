import { type DirectoryProvider, type DirectorySource, ProviderError, type TokenRecord } from '../../directory/sync/provider.ts';
import { type OAuthClient, createAccessTokens, createOAuthClient, createTokenRenewal } from './access-tokens.ts';
import { createDirectorySource } from './directory-source.ts';
import {
  type ConsentClient,
  type GoogleAddresses,
  type GoogleOptions,
  readAddresses,
  readConsentClient,
  scopes,
  selectAccess,
} from './settings.ts';
import { consentTokensSchema, validateResponse } from './responses.ts';
import { explainFailure } from './explain-failure.ts';
import { withTimeout } from '../../shared/timeout.ts';

/** Google Workspace through the Directory API of the Admin SDK. */
export function createGoogleProvider(options: GoogleOptions = {}): DirectoryProvider {
  const addresses = readAddresses(options);
  return {
    selectedBy: 'google_groups or google_org_units',
    wrongDomain:
      "None of the users has an address of the directory's google_domain. Nothing was changed. Authorize as an administrator of that domain, or correct google_domain.",
    checkSetup(connection) {
      const access = selectAccess(connection, options);
      return 'missing' in access ? access.missing : undefined;
    },
    ...createConsent(options, addresses),
    open(connection, { onRenewed }) {
      const access = selectAccess(connection, options);
      if ('missing' in access) return createFailingSource(access.missing);
      const isConsent = access.by === 'consent';
      const tokens = createAccessTokens(
        isConsent
          ? { accessToken: connection.accessToken, expiresAt: connection.accessTokenExpiresAt }
          : { accessToken: '', expiresAt: undefined },
        {
          renew: createTokenRenewal(access, connection.refreshToken, addresses),
          // A service account's tokens are not part of the stored authorization.
          onRenewed: isConsent ? onRenewed : async () => undefined,
        },
      );
      return createDirectorySource({ connection, by: access.by, tokens, addresses });
    },
  };
}

function createFailingSource(missing: string): DirectorySource {
  const fail = () => Promise.reject(new ProviderError('rejected', missing));
  return { listUsers: fail, listGroups: fail, listMembers: fail };
}

type Consent = Pick<DirectoryProvider, 'authorizationUrl' | 'exchangeCode'>;
type UrlOptions = NonNullable<Parameters<OAuthClient['generateAuthUrl']>[0]>;

const s256 = 'S256' as NonNullable<UrlOptions['code_challenge_method']>;

/** The OAuth consent flow: the address to send an administrator to, and the exchange of the code. */
const createConsent = (options: GoogleOptions, addresses: GoogleAddresses): Consent => ({
  authorizationUrl: ({ state, codeChallenge, redirectUrl, connection: { domain } }) =>
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
