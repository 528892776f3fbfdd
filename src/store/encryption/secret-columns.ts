import type { Keyring } from '../../keyring.ts';

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
