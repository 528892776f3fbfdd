import { type RenewedTokens, ProviderError } from '../../directory/sync/provider.ts';
import { validateResponse, renewedTokensSchema } from './responses.ts';
import { explainFailure } from './explain-failure.ts';
import { type Access, type ConsentClient, type GoogleAddresses, type ServiceAccount, googleTokenUrl, scopes } from './settings.ts';
import { withTimeout } from '../../shared/timeout.ts';
import { admin, type admin_directory_v1, auth } from '@googleapis/admin';

export interface AccessTokens {
  /** Returns a token other than `spent` that is expected to stay valid for at least a minute. */
  take(spent?: string): Promise<string>;
}

const reserveMs = 60_000;

/** Concurrent callers share one renewal. A new token is used only after `onRenewed` has stored it. */
export function createAccessTokens(
  first: Pick<RenewedTokens, 'accessToken' | 'expiresAt'>,
  { renew, onRenewed }: { renew(): Promise<RenewedTokens>; onRenewed(tokens: RenewedTokens): Promise<void> },
): AccessTokens {
  let current = first;
  let renewing: Promise<string> | undefined;

  return {
    async take(spent) {
      if (isGood(spent)) return current.accessToken;
      renewing ??= renewAll().finally(() => (renewing = undefined));
      return renewing;
    },
  };

  function isGood(spent: string | undefined): boolean {
    const { accessToken, expiresAt } = current;
    return accessToken !== '' && accessToken !== spent && (expiresAt === undefined || expiresAt.getTime() - reserveMs > Date.now());
  }

  async function renewAll(): Promise<string> {
    const renewed = await renew();
    await onRenewed(renewed);
    current = renewed;
    return renewed.accessToken;
  }
}

type FetchTokens = (signal: AbortSignal) => Promise<object>;

/** Returns a function that fetches new tokens on each call. */
export function createTokenRenewal(access: Access, refreshToken: string, addresses: GoogleAddresses): () => Promise<RenewedTokens> {
  const fetchTokens =
    access.by === 'consent' ? createRefreshFetcher(access, refreshToken, addresses) : createDelegationFetcher(access, addresses);
  return async () => {
    try {
      const { access_token, expiry_date, refresh_token } = validateResponse(
        renewedTokensSchema,
        await withTimeout(addresses.requestTimeoutMs, undefined, fetchTokens),
      );
      return {
        accessToken: access_token,
        expiresAt: expiry_date === undefined ? undefined : new Date(expiry_date),
        ...(refresh_token && { refreshToken: refresh_token }),
      };
    } catch (error) {
      throw explainFailure(error, { for: 'token', by: access.by, timeoutMs: addresses.requestTimeoutMs });
    }
  };
}

function createRefreshFetcher({ client }: Access & { by: 'consent' }, first: string, addresses: GoogleAddresses): FetchTokens {
  let refreshToken = first;
  return async (signal) => {
    if (refreshToken === '')
      throw new ProviderError('unauthorized', 'The directory is not authorized yet, or its refresh token is lost. Authorize it.');
    const oauth = createOAuthClient(client, addresses, signal);
    oauth.setCredentials({ refresh_token: refreshToken });
    // The returned credentials repeat the old refresh token if there is no new one.
    oauth.once('tokens', (tokens) => (refreshToken = tokens.refresh_token || refreshToken));
    const { credentials } = await oauth.refreshAccessToken();
    return { ...credentials, refresh_token: refreshToken === first ? undefined : refreshToken };
  };
}

function createDelegationFetcher({ account, adminEmail }: Access & { by: 'delegation' }, addresses: GoogleAddresses): FetchTokens {
  // A new client each time: a used one returns its cached token.
  return async (signal) => {
    const { access_token, expiry_date } = await createDelegatedClient(account, adminEmail, addresses, signal).authorize();
    return { access_token, expiry_date };
  };
}

/** A full page of users has about 2 MB. A page that is too large is requested again with fewer records. */
const maxResponseBytes = 8 * 1024 * 1024;

const transport = (signal?: AbortSignal) => ({
  size: maxResponseBytes,
  responseType: 'json' as const,
  redirect: 'error' as const,
  // The callers decide about retries.
  retryConfig: { retry: 0 },
  ...(signal && { signal }),
});

// The default interceptors log requests and responses if an environment variable says so.
const withoutInterceptors = { useAuthRequestParameters: false };

export type OAuthClient = InstanceType<typeof auth.OAuth2>;
type DelegatedClient = InstanceType<typeof auth.JWT>;
export type DirectoryClient = admin_directory_v1.Admin;

export function createOAuthClient(
  { clientId, clientSecret }: ConsentClient,
  { authUrl, tokenUrl }: GoogleAddresses,
  signal?: AbortSignal,
): OAuthClient {
  return new auth.OAuth2({
    clientId,
    clientSecret,
    endpoints: { oauth2AuthBaseUrl: authUrl, oauth2TokenUrl: tokenUrl },
    transporterOptions: transport(signal),
    ...withoutInterceptors,
  });
}

/** Authenticates by domain-wide delegation. */
function createDelegatedClient(
  { email, privateKey }: ServiceAccount,
  adminEmail: string,
  { tokenUrl }: GoogleAddresses,
  signal: AbortSignal,
): DelegatedClient {
  const client = new auth.JWT({
    email,
    key: privateKey,
    subject: adminEmail,
    scopes,
    transporterOptions: transport(signal),
    ...withoutInterceptors,
  });
  // The library supports only one token endpoint.
  client.transporter.interceptors.request.add({
    resolved: (request) => Promise.resolve(request.url.href === googleTokenUrl ? { ...request, url: new URL(tokenUrl) } : request),
  });
  return client;
}

/** Redaction would drop Google's reasons if the text contains “secret”. `explainFailure` does not pass on the library's errors. */
const asText = { ...transport(), responseType: 'text' as const, errorRedactor: false as const };

/** Does not renew its token. The caller parses the text of its responses. */
export function createDirectoryClient(accessToken: string, { apiUrl }: GoogleAddresses): DirectoryClient {
  const client = new auth.OAuth2({ transporterOptions: asText, ...withoutInterceptors });
  client.setCredentials({ access_token: accessToken });
  return admin({ version: 'directory_v1', auth: client, rootUrl: apiUrl });
}
