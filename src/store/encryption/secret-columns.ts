import type { Keyring } from '../../keyring.ts';
import { hostOf } from '../../directory/delivery/webhook-secrets.ts';

export type SecretColumn =
  | 'scim_secret'
  | 'webhook_secret'
  | 'webhook_url'
  | 'google_access_token'
  | 'google_refresh_token'
  | 'google_service_account'
  | 'code_verifier';

/** Encrypts and decrypts secret columns. A value that is sealed for one column of one directory opens nowhere else. */
export interface SecretColumns {
  seal(directoryId: string, column: SecretColumn, plain: string): string;
  open(directoryId: string, column: SecretColumn, sealed: string): string;
}

export function createSecretColumns(keyring: Keyring): SecretColumns {
  return {
    seal: (directoryId, column, plain) => keyring.sealText(plain, secretContext(directoryId, column)),
    open: (directoryId, column, sealed) => keyring.openText(sealed, secretContext(directoryId, column)),
  };
}

export const secretContext = (directoryId: string, column: SecretColumn) => `directory:${directoryId}:${column}`;

/** `sealed_url` is the encrypted webhook address and `url` is its host. Both are null for an endpoint without a webhook. */
export interface AddressColumns {
  url: string | null;
  sealed_url: string | null;
}

export const toAddressColumns = (secrets: SecretColumns, directoryId: string, url: string): AddressColumns => ({
  url: hostOf(url),
  sealed_url: secrets.seal(directoryId, 'webhook_url', url),
});

/** Rows from an earlier version have only `url`: the plain address, or its host. */
export const openAddress = (secrets: SecretColumns, directoryId: string, { url, sealed_url: sealed }: AddressColumns): string | null =>
  sealed === null ? url : secrets.open(directoryId, 'webhook_url', sealed);
