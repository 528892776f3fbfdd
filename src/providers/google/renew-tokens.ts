import { ProviderError, type RenewedTokens } from '../../directory/sync/provider.ts';
import { readAnswer, renewedTokens } from './answers.ts';
import type { Access } from './choose-access.ts';
import { createDelegatedClient, createOAuthClient } from './clients.ts';
import { explainFailure } from './explain-failure.ts';
import type { GoogleAddresses } from './settings.ts';
import { withinTime } from './within-time.ts';

type FetchTokens = (signal: AbortSignal) => Promise<object>;

/** What fetches new access tokens, once for each call. */
export function createRenewal(access: Access, refreshToken: string, addresses: GoogleAddresses): () => Promise<RenewedTokens> {
  const fetchTokens = access.by === 'consent' ? createRefresh(access, refreshToken, addresses) : createDelegation(access, addresses);
  return async () => {
    try {
      const { access_token, expiry_date, refresh_token } = readAnswer(
        renewedTokens,
        await withinTime(addresses.requestTimeoutMs, undefined, fetchTokens),
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

function createRefresh({ client }: Access & { by: 'consent' }, first: string, addresses: GoogleAddresses): FetchTokens {
  let refreshToken = first;
  return async (signal) => {
    if (refreshToken === '')
      throw new ProviderError('unauthorized', 'Nobody has given consent yet, or its refresh token is lost. Authorise.');
    const oauth = createOAuthClient(client, addresses, signal);
    oauth.setCredentials({ refresh_token: refreshToken });
    // What is returned has the old one in the place of a new one.
    oauth.once('tokens', (tokens) => (refreshToken = tokens.refresh_token || refreshToken));
    const { credentials } = await oauth.refreshAccessToken();
    return { ...credentials, refresh_token: refreshToken === first ? undefined : refreshToken };
  };
}

function createDelegation({ account, adminEmail }: Access & { by: 'delegation' }, addresses: GoogleAddresses): FetchTokens {
  // A new client each time: one that was used hands out what it has.
  return async (signal) => {
    const { access_token, expiry_date } = await createDelegatedClient(account, adminEmail, addresses, signal).authorize();
    return { access_token, expiry_date };
  };
}
