import { randomUUID } from 'node:crypto';

export interface EntraUser {
  id: string;
  userPrincipalName: string;
  displayName: string;
  mail: string | null;
  accountEnabled: boolean;
  [name: string]: unknown;
}

export interface EntraGroup {
  id: string;
  displayName: string;
  [name: string]: unknown;
}

/** One change, as a delta tells it. */
export type Entry =
  | { kind: 'users' | 'groups'; id: string; changed: Record<string, unknown> }
  | { kind: 'users' | 'groups'; id: string; removed: 'changed' | 'deleted' }
  | { kind: 'groups'; id: string; member: string; isRemoved: boolean };

export interface EntraWorld {
  users: Map<string, EntraUser>;
  groups: Map<string, EntraGroup>;
  members: Map<string, Set<string>>;
  /** By the ID of the user or group. */
  assigned: Map<string, 'User' | 'Group'>;
  journal: Entry[];
  addUser(given?: Partial<EntraUser>): EntraUser;
  changeUser(id: string, change: Record<string, unknown>): void;
  /** Soft deletion. Its memberships come back with it. */
  removeUser(id: string): void;
  restoreUser(id: string): void;
  addGroup(given?: Partial<EntraGroup>): EntraGroup;
  changeGroup(id: string, change: Record<string, unknown>): void;
  removeGroup(id: string): void;
  restoreGroup(id: string): void;
  addMember(groupId: string, memberId: string): void;
  removeMember(groupId: string, memberId: string): void;
  /** Changes what deltas never tell. */
  silently(change: () => void): void;
}

interface Deleted<Item> {
  item: Item;
  in: string[];
  members: string[];
}

/** A tenant. Every change is written to a journal, which deltas read. */
export function createEntraWorld(): EntraWorld {
  const users = new Map<string, EntraUser>();
  const groups = new Map<string, EntraGroup>();
  const members = new Map<string, Set<string>>();
  const deletedUsers = new Map<string, Deleted<EntraUser>>();
  const deletedGroups = new Map<string, Deleted<EntraGroup>>();
  const journal: Entry[] = [];
  let isSilent = false;
  const write = (entry: Entry) => void (isSilent || journal.push(entry));
  let count = 0;

  const world: EntraWorld = {
    users,
    groups,
    members,
    assigned: new Map(),
    journal,
    addUser(given = {}) {
      count += 1;
      const name = `user${count}`;
      const user = {
        id: randomUUID(),
        userPrincipalName: `${name}@acme.example`,
        displayName: name,
        mail: `${name}@acme.example`,
        accountEnabled: true,
        userType: 'Member',
        ...given,
      };
      users.set(user.id, user);
      write({ kind: 'users', id: user.id, changed: user });
      return user;
    },
    changeUser(id, change) {
      users.set(id, { ...users.get(id)!, ...change });
      write({ kind: 'users', id, changed: change });
    },
    removeUser(id) {
      deletedUsers.set(id, { item: users.get(id)!, in: leaveAll(id), members: [] });
      users.delete(id);
      write({ kind: 'users', id, removed: 'changed' });
    },
    restoreUser(id) {
      const { item, in: groupIds } = deletedUsers.get(id)!;
      deletedUsers.delete(id);
      users.set(id, item);
      write({ kind: 'users', id, changed: item });
      // Graph tells the user only.
      world.silently(() => groupIds.filter((groupId) => groups.has(groupId)).forEach((groupId) => world.addMember(groupId, id)));
    },
    addGroup(given = {}) {
      count += 1;
      const group = { id: randomUUID(), displayName: `group${count}`, description: null, ...given };
      groups.set(group.id, group);
      members.set(group.id, new Set());
      write({ kind: 'groups', id: group.id, changed: group });
      return group;
    },
    changeGroup(id, change) {
      groups.set(id, { ...groups.get(id)!, ...change });
      write({ kind: 'groups', id, changed: change });
    },
    removeGroup(id) {
      deletedGroups.set(id, { item: groups.get(id)!, in: leaveAll(id), members: [...members.get(id)!] });
      groups.delete(id);
      members.delete(id);
      write({ kind: 'groups', id, removed: 'changed' });
    },
    restoreGroup(id) {
      const { item, in: groupIds, members: kept } = deletedGroups.get(id)!;
      deletedGroups.delete(id);
      groups.set(id, item);
      members.set(id, new Set());
      write({ kind: 'groups', id, changed: item });
      // Graph tells the group only.
      world.silently(() => {
        for (const memberId of kept) if (users.has(memberId) || groups.has(memberId)) world.addMember(id, memberId);
        for (const groupId of groupIds) if (groups.has(groupId)) world.addMember(groupId, id);
      });
    },
    addMember(groupId, memberId) {
      if (members.get(groupId)!.has(memberId)) return;
      members.get(groupId)!.add(memberId);
      write({ kind: 'groups', id: groupId, member: memberId, isRemoved: false });
    },
    removeMember(groupId, memberId) {
      if (members.get(groupId)!.delete(memberId)) write({ kind: 'groups', id: groupId, member: memberId, isRemoved: true });
    },
    silently(change) {
      const before = isSilent;
      isSilent = true;
      change();
      isSilent = before;
    },
  };
  return world;

  function leaveAll(memberId: string): string[] {
    const from = [...members].filter(([, ids]) => ids.has(memberId)).map(([groupId]) => groupId);
    for (const groupId of from) world.removeMember(groupId, memberId);
    return from;
  }
}
