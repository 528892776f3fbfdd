import { admin, auth, type admin_directory_v1 } from '@googleapis/admin';
import type { ConsentClient, ServiceAccount } from './select-access.ts';
import { googleTokenUrl, scopes, type GoogleAddresses } from './settings.ts';

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
export type DelegatedClient = InstanceType<typeof auth.JWT>;
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
export function createDelegatedClient(
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
