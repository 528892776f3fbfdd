import { hostOf } from '../../directory/delivery/webhook-address.ts';
import type { SecretColumns } from './secret-columns.ts';

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
