import { createHash } from 'node:crypto';
import { toResourceKey } from '../resources/resource-ids.ts';

/**
 * Before Polis v1.7.0 a tenant and product had one directory, whose ID was the RIPEMD-160 of both. An imported one is stored under a UUID that
 * is derived from this ID, as users and groups are. Tenant and product give the ID back, so nothing else stores it.
 */
export const formerDirectoryId = ({ tenant, product }: { tenant: string; product: string }): string =>
  createHash('ripemd160').update(`${tenant}:${product}`).digest('hex');

const former = /^[0-9a-f]{40}$/i;
export const isFormerDirectoryId = (id: string): boolean => former.test(id);

/** The key of the directory with this ID. */
export const toDirectoryKey = (id: string): string => (isFormerDirectoryId(id) ? toResourceKey(id.toLowerCase()) : id);

const derivedVersion = '8';

/** The ID that callers know. Only a derived key needs a look at tenant and product. */
export function publicDirectoryId(directory: { id: string; tenant: string; product: string }): string {
  if (directory.id[14] !== derivedVersion) return directory.id;
  const id = formerDirectoryId(directory);
  return toResourceKey(id) === directory.id ? id : directory.id;
}
