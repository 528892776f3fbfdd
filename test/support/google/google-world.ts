import {
  createGoogleGroup,
  createGoogleMember,
  createGoogleUser,
  type GoogleGroup,
  type GoogleMember,
  type GoogleUser,
} from './google-data.ts';
import { createSortedList, type SortedList } from './sorted-list.ts';

export interface GoogleWorld {
  readonly users: ReadonlyMap<string, GoogleUser>;
  readonly groups: ReadonlyMap<string, GoogleGroup>;
  /** By the id of the group. */
  readonly members: ReadonlyMap<string, readonly GoogleMember[]>;
  addUser(given?: Partial<GoogleUser>): GoogleUser;
  changeUser(id: string, change: Record<string, unknown>): GoogleUser;
  /** With its memberships. */
  removeUser(id: string): void;
  addGroup(given?: Partial<GoogleGroup>): GoogleGroup;
  changeGroup(id: string, change: Record<string, unknown>): GoogleGroup;
  /** With its members and memberships. */
  removeGroup(id: string): void;
  addMember(groupId: string, member: GoogleMember): void;
  removeMember(groupId: string, memberId: string): void;
  /** Replaces everything. The records are used unchanged. */
  preset(world: Preset): void;
}

export interface Preset {
  users?: Iterable<GoogleUser>;
  groups?: Iterable<GoogleGroup>;
  members?: Iterable<readonly [groupId: string, members: GoogleMember[]]>;
}

interface Lists {
  users: SortedList<GoogleUser>;
  groups: SortedList<GoogleGroup>;
  membersOf(groupId: string): SortedList<GoogleMember>;
}

export function createGoogleWorld(): { world: GoogleWorld; lists: Lists } {
  const users = new Map<string, GoogleUser>();
  const groups = new Map<string, GoogleGroup>();
  const members = new Map<string, GoogleMember[]>();
  const memberLists = new Map<string, SortedList<GoogleMember>>();
  const lists: Lists = {
    users: createSortedList(
      () => users.values(),
      ({ primaryEmail, id }) => `${primaryEmail.toLowerCase()} ${id}`,
    ),
    groups: createSortedList(
      () => groups.values(),
      ({ email, id }) => `${email.toLowerCase()} ${id}`,
    ),
    membersOf(groupId) {
      const list =
        memberLists.get(groupId) ??
        createSortedList(
          () => members.get(groupId) ?? [],
          ({ id, type }) => `${id ?? ''} ${type ?? ''}`,
        );
      memberLists.set(groupId, list);
      return list;
    },
  };

  const world: GoogleWorld = {
    users,
    groups,
    members,
    addUser: (given) => keepUser(createGoogleUser(given)),
    changeUser: (id, change) => keepUser({ ...get(users, id), ...change, id }),
    removeUser(id) {
      users.delete(id);
      lists.users.forget();
      leaveAll(id);
    },
    addGroup: (given) => keepGroup(createGoogleGroup(given)),
    changeGroup: (id, change) => keepGroup({ ...get(groups, id), ...change, id }),
    removeGroup(id) {
      groups.delete(id);
      lists.groups.forget();
      setMembers(id, []);
      leaveAll(id);
    },
    addMember(groupId, member) {
      get(groups, groupId);
      setMembers(groupId, [...(members.get(groupId) ?? []), createGoogleMember(member)]);
    },
    removeMember(groupId, memberId) {
      setMembers(
        groupId,
        (members.get(groupId) ?? []).filter(({ id }) => id !== memberId),
      );
    },
    preset(given) {
      for (const map of [users, groups, members, memberLists]) map.clear();
      for (const user of given.users ?? []) users.set(user.id, user);
      for (const group of given.groups ?? []) groups.set(group.id, group);
      for (const [groupId, list] of given.members ?? []) members.set(groupId, list);
      lists.users.forget();
      lists.groups.forget();
    },
  };
  return { world, lists };

  function keepUser(user: GoogleUser): GoogleUser {
    users.set(user.id, user);
    lists.users.forget();
    return user;
  }

  function keepGroup(group: GoogleGroup): GoogleGroup {
    groups.set(group.id, group);
    lists.groups.forget();
    return group;
  }

  function setMembers(groupId: string, list: GoogleMember[]): void {
    if (list.length > 0) members.set(groupId, list);
    else members.delete(groupId);
    memberLists.get(groupId)?.forget();
  }

  function leaveAll(memberId: string): void {
    for (const [groupId, list] of members) if (list.some(({ id }) => id === memberId)) world.removeMember(groupId, memberId);
  }
}

function get<Item>(map: ReadonlyMap<string, Item>, id: string): Item {
  const item = map.get(id);
  if (!item) throw new Error(`The fake Google has no ${id}.`);
  return item;
}
