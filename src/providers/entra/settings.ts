import { type ClientCredential, createCertificateCredential, createSecretCredential } from './client-credentials.ts';

export interface EntraOptions {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** A certificate of the application and its private key, in PEM, instead of the secret. */
  certificate?: string | undefined;
  loginUrl?: string | undefined;
  graphUrl?: string | undefined;
  /** The time from the first byte sent to the last byte received. */
  requestTimeoutMs?: number | undefined;
}

export interface EntraAddresses {
  /** Without a slash at the end. */
  loginUrl: string;
  graphUrl: string;
  requestTimeoutMs: number;
}

export const readAddresses = (options: EntraOptions): EntraAddresses => ({
  loginUrl: withoutSlash(options.loginUrl ?? 'https://login.microsoftonline.com'),
  graphUrl: withoutSlash(options.graphUrl ?? 'https://graph.microsoft.com'),
  requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
});

const withoutSlash = (url: string) => url.replace(/\/+$/, '');

/** What the administrator has consented to. In a national cloud, it is named after that cloud's Graph. */
export const scopeOf = ({ graphUrl }: EntraAddresses) => `${graphUrl}/.default`;

export interface EntraClient {
  clientId: string;
  credential: ClientCredential;
}

export function readClient({ clientId = '', clientSecret = '', certificate = '' }: EntraOptions): EntraClient | { missing: string } {
  const absent = [
    clientId === '' && 'DSYNC_ENTRA_CLIENT_ID',
    clientSecret === '' && certificate === '' && 'DSYNC_ENTRA_CLIENT_SECRET (or DSYNC_ENTRA_CERTIFICATE_FILE)',
  ].filter((name) => name !== false);
  if (absent.length === 0)
    return { clientId, credential: certificate === '' ? createSecretCredential(clientSecret) : createCertificateCredential(certificate) };
  return { missing: `${absent.join(' and ')} ${absent.length === 1 ? 'is' : 'are'} not set.` };
}

const tenantForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The ID of a tenant in the form in which it is compared. A domain name of a tenant would not be comparable. */
export function readTenant(text: string): string | undefined {
  const tenant = text.trim().toLowerCase();
  return tenantForm.test(tenant) ? tenant : undefined;
}
