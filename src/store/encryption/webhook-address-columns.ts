import { hostOf } from '../../directory/webhook-address.ts';
import type { SecretColumns } from '../secret-columns.ts';

/** `sealed_url` is a webhook's address, `url` its host. Of an endpoint without a webhook both are null. */
export interface AddressColumns {
  url: string | null;
  sealed_url: string | null;
}

export const toAddressColumns = (secrets: SecretColumns, directoryId: string, url: string): AddressColumns => ({
  url: hostOf(url),
  sealed_url: secrets.seal(directoryId, 'webhook_url', url),
});

/** Where an earlier version has written `url` alone, that is the address, or all that is left of it. */
export const openAddress = (secrets: SecretColumns, directoryId: string, { url, sealed_url: sealed }: AddressColumns): string | null =>
  sealed === null ? url : secrets.open(directoryId, 'webhook_url', sealed);
