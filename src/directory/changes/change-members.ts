import { matchesElement } from '../../scim/filter/matches.ts';
import type { Filter } from '../../scim/filter/filter.ts';
import type { Member, MemberChange } from '../../scim/patch/operation.ts';
import { groupType } from '../../scim/schema/resource-types.ts';
import { foldCase } from '../../scim/text.ts';
import type { Group } from '../group.ts';
import type { Workspace } from './workspace.ts';

/** What is different afterwards: nested groups make no event of their own, and who is waited for makes none at all. */
export interface MembersChanged {
  any: boolean;
  nested: boolean;
}

export function changeMembers(space: Workspace, group: Group, changes: MemberChange[]): MembersChanged {
  const changed: MembersChanged = { any: false, nested: false };
  for (const change of changes) {
    switch (change.kind) {
      case 'add':
        for (const member of change.members) add(space, group, member, changed);
        break;
      case 'remove':
        for (const value of change.values) remove(space, group, value, changed);
        break;
      case 'replace':
        replace(space, group, change.members, changed);
        break;
      case 'removeMatching':
        removeMatching(space, group, change.filter, changed);
    }
  }
  return changed;
}

function add(
  space: Workspace,
  group: Group,
  { value, display = null }: Member | { value: string; display: string | null },
  changed: MembersChanged,
) {
  const { memberships } = space;
  const found = space.findMember(value);
  if (found) return join(space, group, { ...found, display }, changed);
  const valueKey = foldCase(value);
  if (memberships.isParked(group.id, valueKey)) return;
  memberships.park({ groupId: group.id, value, valueKey, display });
  changed.any = true;
}

function join(
  space: Workspace,
  group: Group,
  { id, kind, display }: { id: string; kind: 'user' | 'group'; display: string | null },
  changed: MembersChanged,
) {
  if (space.memberships.get(group.id, id)) return;
  space.memberships.add({ groupId: group.id, memberId: id, kind, display });
  note(space, group, { id, kind, type: 'group.user_added' }, changed);
}

/** Someone who was waited for under another name than the one now given goes too. */
function remove(space: Workspace, group: Group, value: string, changed: MembersChanged) {
  const found = space.findMember(value);
  if (found) leave(space, group, found.id, changed);
  const valueKey = foldCase(value);
  if (!space.memberships.isParked(group.id, valueKey)) return;
  space.memberships.unpark(group.id, valueKey);
  changed.any = true;
}

export function leave(space: Workspace, group: Group, memberId: string, changed: MembersChanged) {
  const membership = space.memberships.get(group.id, memberId);
  if (!membership) return;
  space.memberships.remove(group.id, memberId);
  note(space, group, { id: memberId, kind: membership.kind, type: 'group.user_removed' }, changed);
}

function note(
  space: Workspace,
  group: Group,
  { id, kind, type }: { id: string; kind: 'user' | 'group'; type: 'group.user_added' | 'group.user_removed' },
  changed: MembersChanged,
) {
  changed.any = true;
  if (kind === 'user') space.tellMembership(type, id, group);
  else changed.nested = true;
}

function replace(space: Workspace, group: Group, members: Member[], changed: MembersChanged) {
  const { memberships } = space;
  const stay = new Set(members.map(({ value }) => space.findMember(value)?.id ?? foldCase(value)));
  for (const { memberId } of memberships.of(group.id)) if (!stay.has(memberId)) leave(space, group, memberId, changed);
  for (const { valueKey } of memberships.parkedIn(group.id)) {
    if (stay.has(valueKey)) continue;
    memberships.unpark(group.id, valueKey);
    changed.any = true;
  }
  for (const member of members) add(space, group, member, changed);
}

const memberPlace = { outer: { attribute: 'members' }, type: groupType };

function removeMatching(space: Workspace, group: Group, filter: Filter, changed: MembersChanged) {
  const { memberships } = space;
  for (const { memberId, kind, display } of memberships.of(group.id)) {
    const element = { value: memberId, type: kind === 'user' ? 'User' : 'Group', ...(display !== null && { display }) };
    if (matchesElement(filter, element, memberPlace)) leave(space, group, memberId, changed);
  }
  for (const { value, valueKey, display } of memberships.parkedIn(group.id)) {
    if (!matchesElement(filter, { value, ...(display !== null && { display }) }, memberPlace)) continue;
    memberships.unpark(group.id, valueKey);
    changed.any = true;
  }
}

/** Whoever was waited for, under one of these names, is here. True if somebody was. */
export function attachParked(space: Workspace, arrived: { id: string; kind: 'user' | 'group' }, names: (string | undefined)[]): boolean {
  const keys = [arrived.id, ...names.flatMap((name) => (name === undefined ? [] : [foldCase(name)]))];
  const waiting = space.memberships.parkedAs(keys);
  for (const { groupId, valueKey, display } of waiting) {
    const group = space.getGroup(groupId)!;
    const changed: MembersChanged = { any: true, nested: false };
    space.memberships.unpark(groupId, valueKey);
    const moved = nextVersion(space, group);
    space.setGroup(moved);
    join(space, moved, { ...arrived, display }, changed);
    if (changed.nested) space.tellGroup('group.updated', moved);
  }
  return waiting.length > 0;
}

/** Before a resource is deleted. */
export function leaveAllGroups(space: Workspace, memberId: string) {
  for (const groupId of space.memberships.groupsOf(memberId)) {
    const group = nextVersion(space, space.getGroup(groupId)!);
    const changed: MembersChanged = { any: false, nested: false };
    space.setGroup(group);
    leave(space, group, memberId, changed);
    if (changed.nested) space.tellGroup('group.updated', group);
  }
}

export const nextVersion = (space: Workspace, group: Group): Group => ({ ...group, version: group.version + 1, updatedAt: space.now });
