import { hash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';

/**
 * A user or group is stored under a UUID, its key. Callers see the key as its ID, unless the resource was imported with an ID that cannot be a
 * key. Then `publicId` is that ID, and the key is derived from it, so that an ID leads to its key without a lookup.
 */
export interface Identified {
  /** The key. */
  id: string;
  publicId?: string | undefined;
}

export const publicIdOf = ({ id, publicId }: Identified): string => publicId ?? id;

export const maxIdLength = 100;

/** Whether an ID can exist. RFC 7643, section 3.1, reserves `bulkId`. Proxies resolve dots and slashes in paths, even encoded ones. */
export const isPublicId = (text: string): boolean =>
  text.length <= maxIdLength && /^[^\p{Cc}\p{Cs}/\\]+$/u.test(text) && !/^\.{1,2}$|bulkId/.test(text);

/** Above all keys that Rollcall creates itself, which begin with the time: the first of the year 2100. */
export const endOfOwnKeys = '03bb2cc3-d800-7000-8000-000000000000';

/** Derived keys are UUIDs of version 8, and no other key is. */
const derivedVersion = '8';

/** Lower and upper case matter, except in UUIDs, which are shown in lower case. */
export const normalize = (publicId: string) => (isId(publicId) ? publicId.toLowerCase() : publicId);

/** The key of the resource with this ID. */
export const toResourceKey = (publicId: string): string => toOwnKey(publicId) ?? deriveKey(normalize(publicId));

/** The key of the resource with this ID, if it is that ID. A derived key takes a hash, and a change may name 100,000 members. */
export function toOwnKey(publicId: string): string | undefined {
  if (!isId(publicId)) return undefined;
  const id = publicId.toLowerCase();
  const isDerived = id[14] === derivedVersion || (id[14] === '7' && id >= endOfOwnKeys);
  return isDerived ? undefined : id;
}

/** 122 bits of a hash: two IDs of a directory do not meet. */
function deriveKey(id: string): string {
  const hex = hash('sha256', id);
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${derivedVersion}${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** For a change that creates a resource with an ID from elsewhere, as an import does. Throws if there can be no such ID. */
export function toGivenIds(givenId: string): { resourceId: string; givenId: string } {
  if (!isPublicId(givenId)) throw new AppError('invalid_request', invalidId);
  return { resourceId: toResourceKey(givenId), givenId: normalize(givenId) };
}
const invalidId = `An ID must have 1 to ${maxIdLength} characters, none of them a slash, a backslash or a control character, and must not contain "bulkId".`;

/** The IDs of a new resource. */
export const toIdentified = ({ resourceId: id, givenId }: { resourceId: string; givenId?: string }): Identified => ({
  id,
  ...(givenId !== undefined && givenId !== id && { publicId: givenId }),
});
