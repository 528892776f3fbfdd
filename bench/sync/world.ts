import { createGoogleGroup, createGoogleMember, createGoogleUser, type GoogleMember } from '../../test/support/google/google-data.ts';
import type { Preset } from '../../test/support/google/google-world.ts';

export interface WorldSize {
  users: number;
  groups: number;
  /** Per group. */
  members: number;
}

const maxUsers = 100_000;

/** Each user is in five groups, with one group per fifty users. */
export function makeSize(users: number): WorldSize {
  const userCount = Math.min(users, maxUsers);
  return { users: userCount, groups: Math.max(1, Math.round(userCount / 50)), members: Math.min(userCount, 250) };
}

export const countObjects = ({ users, groups, members }: WorldSize) => users + groups + groups * members;

/** Creates users and groups. Members rotate through the users, so that all users are in about the same number of groups. */
export function makeWorld({ users: userCount, groups: groupCount, members: memberCount }: WorldSize): Required<Preset> {
  const users = Array.from({ length: userCount }, () => createGoogleUser());
  const groups = Array.from({ length: groupCount }, () => createGoogleGroup());
  const members = groups.map(({ id }, group): [string, GoogleMember[]] => [
    id,
    Array.from({ length: memberCount }, (_, index) => {
      const user = users[(group * memberCount + index) % userCount]!;
      return createGoogleMember({ id: user.id, email: user.primaryEmail });
    }),
  ]);
  return { users, groups, members };
}
