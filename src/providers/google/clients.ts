import { admin, auth, type admin_directory_v1 } from '@googleapis/admin';
import type { ConsentClient } from './choose-access.ts';
import type { ServiceAccount } from './service-account.ts';
import { googleTokenUrl, scopes, type GoogleAddresses } from './settings.ts';

/** A full page of users has two megabytes or so. Of what is larger, fewer are asked for at once. */
const maxAnswerBytes = 8 * 1024 * 1024;

const transport = (signal?: AbortSignal) => ({
  size: maxAnswerBytes,
  responseType: 'json' as const,
  redirect: 'error' as const,
  // Who asks decides about that.
  retryConfig: { retry: 0 },
  ...(signal && { signal }),
});

// Those that it would add write requests and answers to a log when an environment variable says so.
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

/** Domain-wide delegation. */
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
  // The library knows one token endpoint only.
  client.transporter.interceptors.request.add({
    resolved: (request) => Promise.resolve(request.url.href === googleTokenUrl ? { ...request, url: new URL(tokenUrl) } : request),
  });
  return client;
}

/** Redacted, a text that says “secret” would lose Google's reasons; `explainFailure` keeps the library's errors to itself. */
const asText = { ...transport(), responseType: 'text' as const, errorRedactor: false as const };

/** It does not renew its token. The caller parses the text of its responses. */
export function createDirectoryClient(accessToken: string, { apiUrl }: GoogleAddresses): DirectoryClient {
  const client = new auth.OAuth2({ transporterOptions: asText, ...withoutInterceptors });
  client.setCredentials({ access_token: accessToken });
  return admin({ version: 'directory_v1', auth: client, rootUrl: apiUrl });
}
