import { parseJson } from '../../scim/json.ts';
import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import type { ProviderConnection } from '../../directory/sync/provider.ts';

export interface GoogleOptions {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** The JSON of a key file, for connections with an administrator but without their own key. */
  serviceAccountKey?: string | undefined;
  apiUrl?: string | undefined;
  authUrl?: string | undefined;
  tokenUrl?: string | undefined;
  /** The time from the first byte sent to the last byte received. */
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

/** An administrator has consented, or a service account impersonates one. */
export type Access = { by: 'consent'; client: ConsentClient } | { by: 'delegation'; account: ServiceAccount; adminEmail: string };

export interface ConsentClient {
  clientId: string;
  clientSecret: string;
}

interface MissingSetting {
  missing: string;
}

export function selectAccess({ adminEmail, serviceAccountKey }: ProviderConnection, options: GoogleOptions): Access | MissingSetting {
  if (adminEmail !== '') return selectDelegation(adminEmail, serviceAccountKey, options);
  const client = readConsentClient(options);
  return 'missing' in client ? client : { by: 'consent', client };
}

export function readConsentClient({ clientId = '', clientSecret = '' }: GoogleOptions): ConsentClient | MissingSetting {
  const absent = [clientId === '' && 'DSYNC_GOOGLE_CLIENT_ID', clientSecret === '' && 'DSYNC_GOOGLE_CLIENT_SECRET'].filter(
    (name) => name !== false,
  );
  if (absent.length === 0) return { clientId, clientSecret };
  return { missing: `${absent.join(' and ')} ${absent.length === 1 ? 'is' : 'are'} not set.` };
}

function selectDelegation(adminEmail: string, ownKey: string, { serviceAccountKey = '' }: GoogleOptions): Access | MissingSetting {
  const key = ownKey || serviceAccountKey;
  if (key === '')
    return {
      missing: 'The directory has a google_admin_email but no service account key, and DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE is not set.',
    };
  const account = readServiceAccount(key);
  if (account) return { by: 'delegation', account, adminEmail };
  const name = ownKey === '' ? 'DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE' : "The directory's service account key";
  return { missing: `${name} must be the JSON of a key file with client_email and an RSA private_key.` };
}

export interface ServiceAccount {
  email: string;
  /** PEM. */
  privateKey: string;
}

const keyFile = z.object({ client_email: z.string().min(1), private_key: z.string().refine(isPrivateKey) });

/** Returns undefined unless the text is a key file with a usable RSA key. */
function readServiceAccount(text: string): ServiceAccount | undefined {
  const read = keyFile.safeParse(parseJson(text));
  return read.success ? { email: read.data.client_email, privateKey: read.data.private_key } : undefined;
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
