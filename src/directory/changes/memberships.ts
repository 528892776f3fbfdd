import { createGroupedItems, type Items } from './grouped-items.ts';
import type { Journal } from './journal.ts';
import type { Membership, PendingMember, Writes } from './snapshot.ts';

/** A working copy of the memberships and pending members that were read. */
export interface Memberships {
  /** Loads a stored membership, before the first change. */
  load(membership: Membership): void;
  loadPending(member: PendingMember): void;
  get(groupId: string, memberId: string): Membership | undefined;
  of(groupId: string): Membership[];
  /** The current members. Later changes do not affect the result. */
  all(groupId: string): Items<Membership>;
  /** The number of members, pending members included. */
  countOf(groupId: string): number;
  groupsOf(memberId: string): string[];
  add(membership: Membership): void;
  /** Adds a membership without a search among the stored ones: it must be a stored one that was removed, or a new one. */
  addPrevious(membership: Membership): void;
  remove(groupId: string, memberId: string): void;
  /** Removes all members, but not the pending ones. */
  removeAll(groupId: string): void;
  pendingIn(groupId: string): PendingMember[];
  isPending(groupId: string, valueKey: string): boolean;
  /** Pending members of any group with one of these keys. */
  pendingUnder(valueKeys: string[]): PendingMember[];
  getPending(groupId: string, valueKey: string): PendingMember | undefined;
  addPending(member: PendingMember): void;
  removePending(groupId: string, valueKey: string): void;
  /** Current minus stored members of the group, pending members included. */
  growthOf(groupId: string): number;
  /** Current minus stored number of groups that the user or group is in. */
  groupGrowthOf(memberId: string): number;
  /** Current minus stored members of all groups. */
  growth(): number;
  writes(): Pick<Writes, 'memberships' | 'pendingMembers'>;
}

export function createMemberships(journal: Journal): Memberships {
  const members = createGroupedItems<Membership>(
    ({ groupId }) => groupId,
    ({ memberId }) => memberId,
    journal,
  );
  const pending = createGroupedItems<PendingMember>(
    ({ groupId }) => groupId,
    ({ valueKey }) => valueKey,
    journal,
  );
  return {
    load: members.load,
    loadPending: pending.load,
    get: members.get,
    of: members.of,
    all: members.all,
    countOf: (groupId) => members.countOf(groupId) + pending.countOf(groupId),
    groupsOf: members.groupsWith,
    add: members.set,
    addPrevious: members.setPrevious,
    remove: members.remove,
    removeAll: members.clear,
    pendingIn: pending.of,
    isPending: (groupId, valueKey) => pending.get(groupId, valueKey) !== undefined,
    pendingUnder: (valueKeys) => valueKeys.flatMap((key) => pending.groupsWith(key).flatMap((groupId) => pending.get(groupId, key) ?? [])),
    getPending: pending.get,
    addPending: pending.set,
    removePending: pending.remove,
    growthOf: (groupId) => members.growthOf(groupId) + pending.growthOf(groupId),
    groupGrowthOf: members.groupGrowthOf,
    growth: () => members.growth() + pending.growth(),
    writes: () => ({ memberships: members.writes(), pendingMembers: pending.writes() }),
  };
}
