import { createGoogleGroup, createGoogleMember, createGoogleUser, type GoogleMember } from '../../test/support/google/google-data.ts';
import type { Preset } from '../../test/support/google/google-world.ts';

export interface WorldSize {
  users: number;
  groups: number;
  /** Per group. */
  members: number;
}

const mostUsers = 100_000;

/** Each user is in five groups, with one group per fifty users. */
export function makeSize(users: number): WorldSize {
  const some = Math.min(users, mostUsers);
  return { users: some, groups: Math.max(1, Math.round(some / 50)), members: Math.min(some, 250) };
}

export const countObjects = ({ users, groups, members }: WorldSize) => users + groups + groups * members;

/** Ordinary users and groups. Each group has the next users in turn, so that all users are in about as many groups. */
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
