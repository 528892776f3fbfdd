import { forEachPausing } from '../../shared/pause.ts';
import type { MemberChange } from '../../scim/patch/operation.ts';
import { foldCase } from '../../scim/text.ts';
import { toGroupProfile, type Group, type MemberKind } from '../group.ts';
import { createRoster, type Roster } from './roster.ts';
import type { Workspace } from './workspace.ts';

export async function changeMembers(space: Workspace, groupId: string, changes: MemberChange[]): Promise<Roster> {
  const roster = createRoster(space, groupId);
  for (const change of changes) {
    switch (change.kind) {
      case 'add':
        await forEachPausing(change.members, space.pause, (member) => roster.add(member));
        break;
      case 'remove':
        await forEachPausing(change.values, space.pause, (value) => roster.remove(value));
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

/** A group's id, and what else it is called before or after a change. */
export type OwnNames = [id: string, ...externalIds: (string | undefined)[]];

/** Whether a group would be its own member. A name that is nobody's yet counts too: it is the group's own once the change is made. */
export function namesItself(space: Workspace, [id, ...externalIds]: OwnNames, changes: MemberChange[]): boolean {
  const names = new Set([id, ...externalIds.map((externalId) => externalId && foldCase(externalId))]);
  return changes
    .flatMap((change) => (change.kind === 'add' || change.kind === 'replace' ? change.members : []))
    .some(({ value }) => names.has(foldCase(value)) && (space.findMember(value)?.id ?? id) === id);
}

/** Throws if a user or group would be in too many groups, because they wait for it under its id or one of these names. */
export function assertGroupQuotaForArrival(space: Workspace, id: string, names: (string | undefined)[]): void {
  if (!space.usage.isNearGroupsPerMember()) return;
  const waiting = new Set(space.memberships.pendingUnder(keysOf(id, names)).map(({ groupId }) => groupId));
  const joins = [...waiting].filter((groupId) => groupId !== id && !space.memberships.get(groupId, id));
  space.usage.assertRoom('groupsPerMember', joins.length, space.groupCount(id));
}

/** Who has a name already was looked for under it then, and what depends on the name was not read. */
export const takenNames = (now: (string | undefined)[], former: (string | undefined)[]): (string | undefined)[] =>
  now.filter((name) => !former.includes(name));

const keysOf = (id: string, names: (string | undefined)[]): string[] => [
  id,
  ...names.flatMap((name) => (name === undefined ? [] : [foldCase(name)])),
];

interface Arrived {
  id: string;
  kind: MemberKind;
}

/** Whoever was waited for, under one of these names, is here. False if nobody was. */
export function attachPendingMember(space: Workspace, arrived: Arrived, names: (string | undefined)[]): Promise<true> | false {
  const waiting = space.memberships.pendingUnder(keysOf(arrived.id, names));
  return waiting.length > 0 && attach(space, arrived, waiting);
}

async function attach(space: Workspace, arrived: Arrived, waiting: ReturnType<Workspace['memberships']['pendingUnder']>): Promise<true> {
  for (const { groupId, valueKey, display } of waiting) {
    // One group may wait for the same one under two names.
    if (!space.memberships.isPending(groupId, valueKey)) continue;
    space.memberships.removePending(groupId, valueKey);
    // A group that waited for a name and then took it: it waits for nobody any more.
    const joins = groupId !== arrived.id && !space.memberships.get(groupId, arrived.id);
    if (joins) space.memberships.add({ groupId, memberId: arrived.id, kind: arrived.kind, display });
    changeQuietly(space, groupId, joins ? { type: 'group.user_added', ...arrived } : undefined);
    const pausing = space.pause();
    if (pausing) await pausing;
  }
  return true;
}

/** Nobody will ever go by these ids. Who was parked under one in this very change was seen by nobody, so no version counts it. */
export function discardPendingMembers(space: Workspace, ids: string[]): void {
  for (const { groupId, valueKey } of space.memberships.pendingUnder(ids)) space.memberships.removePending(groupId, valueKey);
}

/** Before a resource is deleted. */
export async function leaveAllGroups(space: Workspace, memberId: string): Promise<void> {
  for (const groupId of space.memberships.groupsOf(memberId)) {
    const { kind } = space.memberships.get(groupId, memberId)!;
    space.memberships.remove(groupId, memberId);
    changeQuietly(space, groupId, { type: 'group.user_removed', id: memberId, kind });
    const pausing = space.pause();
    if (pausing) await pausing;
  }
}

/** To read, change and write a group. A user may be in 10,000 groups, and leave them all. */
const stepsOfGroup = 70;

interface QuietChange {
  type: 'group.user_added' | 'group.user_removed';
  id: string;
  kind: MemberKind;
}

/** A group whose members change because of somebody else's doing: one is in it, or no longer; or nobody is waited for any more. */
function changeQuietly(space: Workspace, groupId: string, change: QuietChange | undefined): void {
  space.budget.spend(stepsOfGroup);
  const group = nextVersion(space, space.getGroup(groupId)!);
  space.setGroup(group);
  if (change?.kind === 'user') {
    space.holdGroup(group);
    space.tellMembership(change.type, change.id, toGroupProfile(group));
  } else if (change) space.tellGroup('group.updated', group);
}

export const nextVersion = (space: Workspace, group: Group): Group => ({ ...group, version: group.version + 1, updatedAt: space.now });
