import type { JsonObject } from '../scim/json.ts';
import type { ScimGroup } from '../scim/group.ts';

/** A stored group. Its members are rows of their own. */
export interface Group extends ScimGroup {
  id: string;
  /** Others of its directory may go by the same name, as a hosted provider's may. */
  sharesName: boolean;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A group as the JSON API and the events show it (the specification's "directory group"). */
export interface GroupProfile {
  id: string;
  name: string;
  raw: JsonObject;
}

export type MemberKind = 'user' | 'group';

/** What stands in a group's list of members; one without an id is known by its value only. */
export interface GroupMember {
  value: string;
  id?: string;
  kind?: MemberKind;
  display?: string;
}

/** A member that is a user of the directory. */
export interface GroupUser {
  id: string;
  display?: string;
}

/** Reads which groups are direct members of a group, in the order in which they came. */
export interface NestedGroups {
  listNested(
    directoryId: string,
    groupId: string,
    page: { offset: number; limit: number },
    signal?: AbortSignal,
  ): Promise<Pick<Group, 'id' | 'displayName'>[]>;
}

/** Members come through events and addresses of their own; the empty list is what the ancestor's applications expect. */
export function toGroupProfile({ id, displayName, resource }: Pick<Group, 'id' | 'displayName' | 'resource'>): GroupProfile {
  return { id, name: displayName, raw: { ...resource, id, members: [] } };
}

/** A single group is shown with the users in it. Groups in it have a list of their own; members that are waited for are SCIM's business. */
export const toWholeGroupProfile = (group: Group, users: GroupUser[]) => {
  const { raw, ...profile } = toGroupProfile(group);
  return {
    ...profile,
    raw: { ...raw, members: users.map(({ id, ...shown }) => ({ value: id, ...shown })) },
    members: users.map(({ id }) => ({ group_id: group.id, user_id: id })),
  };
};
