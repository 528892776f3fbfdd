import { foldCase } from '../../scim/text.ts';
import { notFound } from '../errors.ts';
import type { UserStore } from '../ports.ts';
import type { ErasureStore } from './ports.ts';
import { isPublicId, normalize, publicIdOf, toResourceKey } from '../resources/resource-ids.ts';
import { addressesOf } from '../resources/addresses-of.ts';
import { isId } from '../../ids.ts';

/** A user, or a deleted user of whom events may be left. */
export interface Person {
  directoryId: string;
  /** The key of the user. */
  userId: string;
  /** The ID that callers see. */
  publicId: string;
  /** The user name and the email addresses. */
  values: string[];
  /** Compared with case. */
  externalIds: string[];
  isUser: boolean;
}

/** Names of a user in stored events. */
export interface FormerNames {
  values: string[];
  externalIds: string[];
}

/** The folded values by which groups may name the person. */
export const valueKeysOf = ({ publicId, values, externalIds }: Pick<Person, 'publicId' | 'values' | 'externalIds'>): string[] => [
  ...new Set([publicId, ...values, ...externalIds].map(foldCase)),
];

interface FindPersonDeps {
  users: Pick<UserStore, 'find'>;
  erasures: Pick<ErasureStore, 'findByRequestedId'>;
}

/** Finds a person by Rollcall's ID or, in a directory that is pulled from Google, by Google's ID, even after an erasure by that ID. */
export async function findPerson({ users, erasures }: FindPersonDeps, directoryId: string, id: string): Promise<Person> {
  if (!isPublicId(id)) throw notFound('user');
  const userId = toResourceKey(id);
  const user =
    (await users.find([directoryId], { by: 'key', id: userId })) ??
    (isId(id) ? undefined : await users.find([directoryId], { by: 'googleId', id }));
  if (!user) {
    const erased = isId(id) ? undefined : await erasures.findByRequestedId(directoryId, id);
    return { directoryId, ...(erased ?? { userId, publicId: normalize(id) }), values: [], externalIds: [], isUser: false };
  }
  return {
    directoryId,
    userId: user.id,
    publicId: publicIdOf(user),
    values: [user.userName, ...addressesOf(user.resource['emails'])],
    externalIds: user.externalId === undefined ? [] : [user.externalId],
    isUser: true,
  };
}
