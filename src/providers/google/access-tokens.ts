import { type RenewedTokens, ProviderError } from '../../directory/sync/provider.ts';
import { validateResponse, renewedTokensSchema } from './responses.ts';
import type { Access } from './select-access.ts';
import { createDelegatedClient, createOAuthClient } from './clients.ts';
import { explainFailure } from './explain-failure.ts';
import type { GoogleAddresses } from './settings.ts';
import { withTimeout } from '../../shared/timeout.ts';

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
