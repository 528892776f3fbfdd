export interface GoogleOptions {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** A key file's text: for connections that name an administrator and bring no key of their own. */
  serviceAccountKey?: string | undefined;
  apiUrl?: string | undefined;
  authUrl?: string | undefined;
  tokenUrl?: string | undefined;
  /** From the first byte that is sent to the last that is received. */
  requestTimeoutMs?: number | undefined;
}

export interface GoogleAddresses {
  apiUrl: string;
  authUrl: string;
  tokenUrl: string;
  requestTimeoutMs: number;
}

export const readAddresses = (options: GoogleOptions): GoogleAddresses => ({
  apiUrl: options.apiUrl ?? 'https://admin.googleapis.com/',
  authUrl: options.authUrl ?? 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenUrl: options.tokenUrl ?? googleTokenUrl,
  requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
});

export const googleTokenUrl = 'https://oauth2.googleapis.com/token';

export const scopes = ['user', 'group', 'group.member'].map((part) => `https://www.googleapis.com/auth/admin.directory.${part}.readonly`);
