import { forEachYielding } from '../../shared/yield-to-event-loop.ts';
import { foldCase } from '../../scim/text.ts';
import { toGroupProfile, type Group, type MemberKind } from '../resources/group.ts';
import { normalize, type Identified } from '../resources/resource-ids.ts';
import { createRoster, type Roster } from './roster.ts';
import type { PendingMember } from './snapshot.ts';
import type { Workspace } from './workspace.ts';
import type { MemberChange } from '../../scim/patch/operation.ts';

export async function changeMembers(space: Workspace, groupId: string, changes: MemberChange[]): Promise<Roster> {
  const roster = createRoster(space, groupId);
  for (const change of changes) {
    switch (change.kind) {
      case 'add':
        await forEachYielding(change.members, space.pause, (member) => roster.add(member));
        break;
      case 'remove':
        await forEachYielding(change.values, space.pause, (value) => roster.remove(value));
        break;
      case 'replace':
        await roster.replace(change.members);
        break;
      case 'removeMatching':
        await roster.removeMatching(change.filter);
    }
  }
  return roster;
}

/** A group's key, its public ID, and its external IDs before and after a change. */
export type OwnNames = [id: string, ...others: (string | undefined)[]];

/** Whether a group would be a member of itself. That includes an external ID that the group gets by the same change. */
export function containsItself(space: Workspace, [id, ...others]: OwnNames, changes: MemberChange[]): boolean {
  const names = new Set([id, ...others.map((name) => name && foldCase(name))]);
  return changes
    .flatMap((change) => (change.kind === 'add' || change.kind === 'replace' ? change.members : []))
    .some(({ value }) => names.has(foldCase(value)) && (space.findMember(value)?.id ?? id) === id);
}

/** Throws if a user or group would be in too many groups once it replaces its pending members. */
export function assertGroupQuotaForArrival(space: Workspace, arrived: Identified, names: MemberNames): void {
  if (!space.usage.isNearGroupsPerMember()) return;
  const { id } = arrived;
  const pending = new Set(pendingFor(space, arrived, names).map(({ groupId }) => groupId));
  const joins = [...pending].filter((groupId) => groupId !== id && !space.memberships.get(groupId, id));
  space.usage.assertRoom('groupsPerMember', joins.length, space.groupCount(id));
}

/** What else than its ID may name a member. */
interface MemberNames {
  userName?: string | undefined;
  externalId?: string | undefined;
}

/** The names that a change adds. Pending members under the former names were attached before, and are not read. */
export const newNames = (now: MemberNames, former: MemberNames): MemberNames => ({
  userName: now.userName === former.userName ? undefined : now.userName,
  externalId: now.externalId === former.externalId ? undefined : now.externalId,
});

/** The pending members that name this user or group, by the rules of `findMember`: only user names match in any case. */
function pendingFor(space: Workspace, { id, publicId }: Identified, { userName, externalId }: MemberNames): PendingMember[] {
  const userNameKey = userName === undefined ? undefined : foldCase(userName);
  const keys = [id, userNameKey, ...[publicId, externalId].map((name) => name && foldCase(name))];
  return space.memberships
    .pendingUnder(keys.filter((key) => key !== undefined))
    .filter(
      ({ value, valueKey }) =>
        valueKey === id || valueKey === userNameKey || value === externalId || (publicId !== undefined && normalize(value) === publicId),
    );
}

interface Arrived extends Identified {
  kind: MemberKind;
}

/** Turns the pending members with this ID or one of these names into members. False if there are none. */
export function attachPendingMember(space: Workspace, arrived: Arrived, names: MemberNames): Promise<true> | false {
  const pending = pendingFor(space, arrived, names);
  return pending.length > 0 && attach(space, arrived, pending);
}

async function attach(space: Workspace, arrived: Arrived, pending: PendingMember[]): Promise<true> {
  for (const { groupId, valueKey, display } of pending) {
    // A group may have two pending members for the same user, under different names.
    if (!space.memberships.isPending(groupId, valueKey)) continue;
    space.memberships.removePending(groupId, valueKey);
    // A group that had a pending member under its own name: it does not become its own member.
    const joins = groupId !== arrived.id && !space.memberships.get(groupId, arrived.id);
    if (joins) space.memberships.add({ groupId, memberId: arrived.id, kind: arrived.kind, display, publicId: arrived.publicId });
    updateGroupOf(space, groupId, joins ? { type: 'group.user_added', id: arrived.id, kind: arrived.kind } : undefined);
    const pausing = space.pause();
    if (pausing) await pausing;
  }
  return true;
}

/** Removes pending members for resources that will not be created. They were added by the same mutation, so no version changes. */
export function discardPendingMembers(space: Workspace, ids: string[]): void {
  for (const { groupId, valueKey } of space.memberships.pendingUnder(ids)) space.memberships.removePending(groupId, valueKey);
}

/** Called before a resource is deleted. */
export async function leaveAllGroups(space: Workspace, memberId: string): Promise<void> {
  for (const groupId of space.memberships.groupsOf(memberId)) {
    const { kind } = space.memberships.get(groupId, memberId)!;
    space.memberships.remove(groupId, memberId);
    updateGroupOf(space, groupId, { type: 'group.user_removed', id: memberId, kind });
    const pausing = space.pause();
    if (pausing) await pausing;
  }
}

/** For all groups of a user that becomes hidden, or is no longer hidden. The memberships do not change. */
export async function emitMembershipsOf(space: Workspace, userId: string, type: MembershipChange['type']): Promise<void> {
  for (const groupId of space.memberships.groupsOf(userId)) {
    const group = space.getGroup(groupId)!;
    space.budget.spend(stepsOfGroup);
    space.holdGroup(group);
    space.emitMembershipEvent(type, userId, toGroupProfile(group));
    const pausing = space.pause();
    if (pausing) await pausing;
  }
}

/** The work of reading, changing and writing a group. Deleting a user may change 10,000 groups. */
const stepsOfGroup = 70;

interface MembershipChange {
  type: 'group.user_added' | 'group.user_removed';
  id: string;
  kind: MemberKind;
}

/** Updates a group because one of its members was created or deleted. Without `change`, only a pending member was removed. */
function updateGroupOf(space: Workspace, groupId: string, change: MembershipChange | undefined): void {
  space.budget.spend(stepsOfGroup);
  const former = space.getGroup(groupId)!;
  const group = nextVersion(space, former);
  space.setGroup(group);
  if (change?.kind === 'user') {
    space.holdGroup(group);
    space.emitMembershipEvent(change.type, change.id, toGroupProfile(group));
  } else if (change) space.emitGroupUpdate(former, group);
}

export const nextVersion = (space: Workspace, group: Group): Group => ({ ...group, version: group.version + 1, updatedAt: space.now });
