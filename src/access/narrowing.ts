import { publicDirectoryId } from '../directory/directories/former-ids.ts';

/** The only tenant, product or directory that a caller can access. Empty: no limit. */
export interface Narrowing {
  tenant?: string;
  product?: string;
  directoryId?: string;
}

const fields = ['tenant', 'product', 'directoryId'] as const;

export const isNarrowed = (narrowing: Narrowing): boolean => fields.some((field) => narrowing[field] !== undefined);

/** Returns the narrowing that allows what both allow; undefined if they exclude each other. */
export function intersect(one: Narrowing, other: Narrowing): Narrowing | undefined {
  const both: Narrowing = {};
  for (const field of fields) {
    const value = one[field] ?? other[field];
    if (value === undefined) continue;
    if (other[field] !== undefined && other[field] !== value) return undefined;
    both[field] = value;
  }
  return both;
}

/** Replaces the ID of the directory with its public ID, which depends on tenant and product. */
export function withPublicId(narrowing: Narrowing): Narrowing {
  const { directoryId: id, tenant = '', product = '' } = narrowing;
  return id === undefined ? narrowing : { ...narrowing, directoryId: publicDirectoryId({ id, tenant, product }) };
}
