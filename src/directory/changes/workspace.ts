import { foldCase } from '../../scim/text.ts';
import type { NewEvent } from '../event.ts';
import { toGroupProfile, type Group, type GroupProfile, type MemberKind } from '../group.ts';
import { toUserProfile, type User, type UserProfile } from '../user.ts';
import { createMemberships } from './memberships.ts';
import { createNames } from './names.ts';
import { createRows } from './rows.ts';
import type { Snapshot, Writes } from './snapshot.ts';

export type Workspace = ReturnType<typeof createWorkspace>;

/** The working copy on which mutations are applied, one after the other; what has changed in the end is written at once. */
export function createWorkspace(snapshot: Snapshot) {
  const users = createRows(snapshot.users);
  const groups = createRows(snapshot.groups);
  const userNames = createNames(snapshot.userNames.map(({ id, userNameKey }) => ({ id, name: userNameKey })));
  const userExternalIds = createNames(snapshot.userNames.map(({ id, externalId }) => ({ id, name: externalId })));
  const displayNames = createNames(snapshot.groupNames.map(({ id, displayNameKey }) => ({ id, name: displayNameKey })));
  const groupExternalIds = createNames(snapshot.groupNames.map(({ id, externalId }) => ({ id, name: externalId })));
  for (const { id, userName, externalId } of snapshot.users) {
    userNames.give(id, foldCase(userName));
    userExternalIds.give(id, externalId);
  }
  for (const { id, displayName, externalId } of snapshot.groups) {
    displayNames.give(id, foldCase(displayName));
    groupExternalIds.give(id, externalId);
  }
  const memberships = createMemberships(snapshot.memberships, snapshot.parked);
  const kinds = new Map<string, MemberKind>([
    ...[...snapshot.users, ...snapshot.userNames].map(({ id }) => [id, 'user'] as const),
    ...[...snapshot.groups, ...snapshot.groupNames].map(({ id }) => [id, 'group'] as const),
  ]);
  const events: NewEvent[] = [];
  const profiles = new WeakMap<User, UserProfile>();

  /** The same object for the same user: it may be in the events of thousands of groups, and is written once. */
  function profileOf(user: User): UserProfile {
    const known = profiles.get(user) ?? toUserProfile(user);
    profiles.set(user, known);
    return known;
  }

  return {
    now: snapshot.now,
    memberships,
    events,
    getUser: users.get,
    getGroup: groups.get,

    isUserNameFree: (userName: string, forId: string) => userNames.isFree(foldCase(userName), forId),
    isUserExternalIdFree: userExternalIds.isFree,
    isDisplayNameFree: (displayName: string, forId: string) => displayNames.isFree(foldCase(displayName), forId),
    isGroupExternalIdFree: groupExternalIds.isFree,

    ownerOfUserName: (key: string) => userNames.ownerOf(key),
    releaseUserName: (id: string) => userNames.give(id, undefined),

    setUser(user: User) {
      users.set(user);
      kinds.set(user.id, 'user');
      userNames.give(user.id, foldCase(user.userName));
      userExternalIds.give(user.id, user.externalId);
    },
    removeUser(id: string) {
      users.remove(id);
      kinds.delete(id);
      userNames.give(id, undefined);
      userExternalIds.give(id, undefined);
    },
    setGroup(group: Group) {
      groups.set(group);
      kinds.set(group.id, 'group');
      displayNames.give(group.id, foldCase(group.displayName));
      groupExternalIds.give(group.id, group.externalId);
    },
    removeGroup(id: string) {
      groups.remove(id);
      kinds.delete(id);
      displayNames.give(id, undefined);
      groupExternalIds.give(id, undefined);
    },

    /** Members are called by our id; some providers use their own, or the user name. */
    findMember(value: string): { id: string; kind: MemberKind } | undefined {
      const id = [
        value.toLowerCase(),
        userExternalIds.ownerOf(value),
        userNames.ownerOf(foldCase(value)),
        groupExternalIds.ownerOf(value),
      ].find((candidate) => candidate !== undefined && kinds.has(candidate));
      return id === undefined ? undefined : { id, kind: kinds.get(id)! };
    },

    tellUser: (type: 'user.created' | 'user.updated' | 'user.deleted', user: User) =>
      void events.push({ type, data: { ...toUserProfile(user) } }),
    tellGroup: (type: 'group.created' | 'group.updated' | 'group.deleted', group: Group) =>
      void events.push({ type, data: { ...toGroupProfile(group) } }),
    /** A user that was not read is filled in by the store: it is as it was. */
    tellMembership(type: 'group.user_added' | 'group.user_removed', userId: string, group: GroupProfile) {
      const user = users.get(userId);
      events.push({ type, userId, group, ...(user && { user: profileOf(user) }) });
    },

    writes: (): Omit<Writes, 'outcomes'> => ({ users: users.writes(), groups: groups.writes(), ...memberships.writes(), events }),
  };
}
