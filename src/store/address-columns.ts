import { toDisplayAddress } from '../directory/webhook-address.ts';
import type { SecretColumns } from './secret-columns.ts';

/** Of `webhook_endpoints`: `sealed_url` is the address, `url` what is shown of it. Both are null where there is no webhook. */
export interface AddressColumns {
  url: string | null;
  sealed_url: string | null;
}

export const toAddressColumns = (secrets: SecretColumns, directoryId: string, url: string): AddressColumns => ({
  url: toDisplayAddress(url),
  sealed_url: secrets.seal(directoryId, 'webhook_url', url),
});

/** A process of the version before has written `url` alone, and all of the address. */
export const openAddress = (secrets: SecretColumns, directoryId: string, { url, sealed_url: sealed }: AddressColumns): string | null =>
  sealed === null ? url : secrets.open(directoryId, 'webhook_url', sealed);
