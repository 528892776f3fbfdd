export interface GoogleOptions {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** The JSON of a key file, for connections with an administrator but without their own key. */
  serviceAccountKey?: string | undefined;
  apiUrl?: string | undefined;
  authUrl?: string | undefined;
  tokenUrl?: string | undefined;
  /** From the first byte sent to the last byte received. */
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
