import { emptyConnection } from '../../../src/directory/directories/directory.ts';
import type { ProviderConnection, ProviderPage, DirectorySource, RenewedTokens } from '../../../src/directory/sync/provider.ts';
import { createGoogleProvider } from '../../../src/providers/google/provider.ts';
import type { GoogleOptions } from '../../../src/providers/google/settings.ts';
import type { FakeGoogle } from './fake-google.ts';

export const createProvider = ({ clientId, clientSecret, addresses }: FakeGoogle, options: GoogleOptions = {}) =>
  createGoogleProvider({ clientId, clientSecret, ...addresses, ...options });

/** It has no authorization. */
export const createConnection = (given: Partial<ProviderConnection> = {}): ProviderConnection => ({ ...emptyConnection, ...given });

interface Opening {
  connection?: Partial<ProviderConnection>;
  options?: GoogleOptions;
  onRenewed?: (tokens: RenewedTokens) => Promise<void>;
}

/** Authorized unless the connection says otherwise. */
export function openGoogle(google: FakeGoogle, { connection, options, onRenewed = async () => undefined }: Opening = {}): DirectorySource {
  const { accessToken, refreshToken, expiresAt } = google.issueTokens();
  return createProvider(google, options).open(
    createConnection({ accessToken, refreshToken, accessTokenExpiresAt: expiresAt, ...connection }),
    { onRenewed },
  );
}

export const never: AbortSignal = new AbortController().signal;

export async function readPages<Item>(list: (request: { pageToken?: string; signal: AbortSignal }) => Promise<ProviderPage<Item>>) {
  const pages: ProviderPage<Item>[] = [];
  for (let pageToken: string | undefined; pages.length === 0 || pageToken !== undefined;) {
    const page = await list({ ...(pageToken !== undefined && { pageToken }), signal: never });
    pages.push(page);
    pageToken = page.nextPageToken;
  }
  return pages;
}
