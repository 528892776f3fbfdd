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

/** The scope that the administrator has consented to. A national cloud has its own Graph address. */
export const scopeOf = ({ graphUrl }: EntraAddresses) => `${graphUrl}/.default`;

export interface EntraClient {
  clientId: string;
  credential: ClientCredential;
}

export function readClient({ clientId = '', clientSecret = '', certificate = '' }: EntraOptions): EntraClient | { missing: string } {
  const unset = [
    clientId === '' && 'DSYNC_ENTRA_CLIENT_ID',
    clientSecret === '' && certificate === '' && 'DSYNC_ENTRA_CLIENT_SECRET (or DSYNC_ENTRA_CERTIFICATE_FILE)',
  ].filter((name) => name !== false);
  if (unset.length === 0)
    return { clientId, credential: certificate === '' ? createSecretCredential(clientSecret) : createCertificateCredential(certificate) };
  return { missing: `${unset.join(' and ')} ${unset.length === 1 ? 'is' : 'are'} not set.` };
}

const tenantForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Normalizes the ID of a tenant. A domain name is rejected, because it could not be compared with an ID. */
export function readTenant(text: string): string | undefined {
  const tenant = text.trim().toLowerCase();
  return tenantForm.test(tenant) ? tenant : undefined;
}
