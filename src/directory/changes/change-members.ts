import type { MemberChange } from '../../scim/patch/operation.ts';
import { foldCase } from '../../scim/text.ts';
import type { Group, MemberKind } from '../group.ts';
import { createRoster, type Roster } from './roster.ts';
import type { Workspace } from './workspace.ts';

export function changeMembers(space: Workspace, groupId: string, changes: MemberChange[]): Roster {
  const roster = createRoster(space, groupId);
  for (const change of changes) {
    switch (change.kind) {
      case 'add':
        for (const member of change.members) roster.add(member);
        break;
      case 'remove':
        for (const value of change.values) roster.remove(value);
        break;
      case 'replace':
        roster.replace(change.members);
        break;
      case 'removeMatching':
        roster.removeMatching(change.filter);
    }
  }
  return roster;
}

/** Whoever was waited for, under one of these names, is here. True if somebody was. */
export function attachParked(space: Workspace, arrived: { id: string; kind: MemberKind }, names: (string | undefined)[]): boolean {
  const keys = [arrived.id, ...names.flatMap((name) => (name === undefined ? [] : [foldCase(name)]))];
  const waiting = space.memberships.parkedAs(keys);
  for (const { groupId, valueKey, display } of waiting) {
    // One group may wait for the same one under two names.
    if (!space.memberships.isParked(groupId, valueKey)) continue;
    changeQuietly(space, groupId, (roster) => {
      roster.unpark(valueKey);
      roster.join({ ...arrived, display });
    });
  }
  return waiting.length > 0;
}

/** Before a resource is deleted. */
export function leaveAllGroups(space: Workspace, memberId: string) {
  for (const groupId of space.memberships.groupsOf(memberId)) changeQuietly(space, groupId, (roster) => roster.leave(memberId));
}

/** A group whose members change because of somebody else's doing. */
function changeQuietly(space: Workspace, groupId: string, change: (roster: Roster) => void) {
  const roster = createRoster(space, groupId);
  change(roster);
  const group = nextVersion(space, space.getGroup(groupId)!);
  space.setGroup(group);
  roster.tell(group);
  if (roster.change().nested) space.tellGroup('group.updated', group);
}

export const nextVersion = (space: Workspace, group: Group): Group => ({ ...group, version: group.version + 1, updatedAt: space.now });
