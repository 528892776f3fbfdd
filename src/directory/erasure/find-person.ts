import { foldCase } from '../../scim/text.ts';
import { isObject } from '../../scim/json.ts';
import { notFound } from '../errors.ts';
import type { UserStore } from '../ports.ts';
import { isPublicId, normalize, publicIdOf, toResourceKey } from '../resources/resource-ids.ts';
import { isId } from '../../ids.ts';

/** A user, or one that was deleted, of which events may be left. */
export interface Person {
  directoryId: string;
  /** The key of the user. */
  userId: string;
  /** The ID that callers see. */
  publicId: string;
  /** The folded values by which groups may name the person. */
  valueKeys: string[];
  /** In lower case: all that a request may name the person by. */
  names: string[];
  isUser: boolean;
}

/** By Rollcall's ID or, in a directory that is pulled from Google, by Google's. */
export async function findPerson(users: Pick<UserStore, 'find'>, directoryId: string, id: string): Promise<Person> {
  if (!isPublicId(id)) throw notFound('user');
  const userId = toResourceKey(id);
  const user =
    (await users.find([directoryId], { by: 'key', id: userId })) ??
    (isId(id) ? undefined : await users.find([directoryId], { by: 'googleId', id }));
  if (!user) {
    const publicId = normalize(id);
    return { directoryId, userId, publicId, valueKeys: [foldCase(publicId)], names: [publicId.toLowerCase()], isUser: false };
  }
  const publicId = publicIdOf(user);
  const values = [publicId, user.userName, ...(user.externalId === undefined ? [] : [user.externalId])];
  return {
    directoryId,
    userId: user.id,
    publicId,
    valueKeys: [...new Set(values.map(foldCase))],
    names: [...values, ...addressesOf(user.resource['emails'])].map((name) => name.toLowerCase()),
    isUser: true,
  };
}

const maxAddresses = 50;

const addressesOf = (emails: unknown): string[] =>
  (Array.isArray(emails) ? emails : [])
    .map((email) => (isObject(email) ? email['value'] : email))
    .filter((value) => typeof value === 'string' && value !== '')
    .slice(0, maxAddresses) as string[];
