import type { JsonObject } from '../../scim/json.ts';
import type { ScimGroup } from '../../scim/group.ts';
import { type Pushed, toRaw } from '../../scim/pushed.ts';
import type { ContinuedPage, PageRequest } from '../page.ts';
import { publicIdOf, type Identified } from './resource-ids.ts';

/** A stored group, without its members. */
export interface Group extends ScimGroup, Identified {
  /** How the pushed document differs from the resource. */
  pushed?: Pushed | undefined;
  /** Other groups of the directory may have the same name, as in some pulled directories. */
  allowDuplicateName: boolean;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A group as the JSON API and the events show it (a "directory group" in the specification). */
export interface GroupProfile {
  id: string;
  name: string;
  raw: JsonObject;
}

export type MemberKind = 'user' | 'group';

/** An entry in a group's list of members, with its public ID. A pending member has a value only. */
export interface GroupMember {
  value: string;
  id?: string;
  kind?: MemberKind;
  display?: string;
}

/** `members`: all members in the order in which they were added, if they were requested. */
export type GroupWithMembers = Group & { members?: GroupMember[] };

/** A member that is a user of the directory. `id` is its public ID. */
export interface GroupUser {
  id: string;
  display?: string;
}

/** Lists the groups that are direct members of a group, with their public IDs, in the order in which they were added. */
export interface NestedGroups {
  listNested(
    directoryId: string,
    groupId: string,
    page: PageRequest<number>,
  ): Promise<ContinuedPage<Pick<Group, 'id' | 'displayName'>, number>>;
}

/** `members` is empty: applications written for Polis expect the key, and membership has its own events and routes. */
export function toGroupProfile(group: Identified & Pick<Group, 'displayName' | 'resource' | 'pushed'>): GroupProfile {
  const id = publicIdOf(group);
  return { id, name: group.displayName, raw: { ...toRaw(group.resource, group.pushed), id, members: [] } };
}

/** A single group with the users in it. Nested groups have their own route; pending members appear in SCIM only. */
export const toWholeGroupProfile = (group: Group, users: GroupUser[]) => {
  const { raw, ...profile } = toGroupProfile(group);
  return {
    ...profile,
    raw: { ...raw, members: users.map(({ id, ...shown }) => ({ value: id, ...shown })) },
    members: users.map(({ id }) => ({ group_id: profile.id, user_id: id })),
  };
};
