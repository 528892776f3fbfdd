import { newGroup, patchGroup, replaceGroup, type ScimGroup } from '../../scim/group.ts';
import { isSameJson } from '../../scim/json.ts';
import { isSamePushed } from '../../scim/pushed.ts';
import { groupType } from '../../scim/schema/resource-types.ts';
import { withPatched, withPushed } from './with-pushed.ts';
import type { Group } from '../resources/group.ts';
import type { Change, Result } from './mutation.ts';
import {
  assertGroupQuotaForArrival,
  attachPendingMember,
  changeMembers,
  leaveAllGroups,
  containsItself,
  nextVersion,
  type OwnNames,
  newNames,
} from './change-members.ts';
import {
  ChangeRejectedError,
  versionMismatch,
  displayNameTaken,
  groupExternalIdTaken,
  groupNotFound,
  selfMembership,
} from './change-errors.ts';
import { toNewIds } from './new-ids.ts';
import type { Roster } from './roster.ts';
import type { Workspace } from './workspace.ts';
import type { MemberChange } from '../../scim/patch/operation.ts';
import { weigh } from '../../scim/budget.ts';

type GroupChange = Extract<Change, { kind: 'createGroup' | 'replaceGroup' | 'patchGroup' | 'deleteGroup' }>;

/** Throws before it changes anything. */
export async function changeGroup(space: Workspace, change: GroupChange): Promise<Result> {
  const { budget } = space;
  if (change.kind === 'createGroup') return create(space, change, withPushed(newGroup(change.resource), change, budget));
  const group = space.getGroup(change.resourceId);
  if (!group) throw new ChangeRejectedError(groupNotFound);
  if (change.ifMatch && !change.ifMatch.includes(group.version)) throw new ChangeRejectedError(versionMismatch(group.version));
  if (change.kind === 'deleteGroup') return remove(space, group);
  if (change.kind === 'patchGroup') {
    const next = patchGroup(group.resource, change.operations, budget);
    return update(space, group, withPatched(next, group, { operations: change.pushed, type: groupType, budget }), change.members);
  }
  const members: MemberChange[] = change.members ? [{ kind: 'replace', members: change.members }] : [];
  budget.spend(weigh(group.resource));
  return update(space, group, withPushed(replaceGroup(group.resource, change.resource), change, budget), members);
}

type NextGroup = ScimGroup & Pick<Group, 'pushed'>;

async function create(space: Workspace, change: Extract<Change, { kind: 'createGroup' }>, next: NextGroup): Promise<Result> {
  const { allowDuplicateName = false, members } = change;
  const ids = toNewIds(space, change);
  const { id, publicId } = ids;
  const memberChanges: MemberChange[] = [{ kind: 'add', members }];
  assertUnique(space, { id, allowDuplicateName }, next);
  assertNotOwnMember(space, [id, publicId, next.externalId], memberChanges);
  space.usage.assertRoomFor({ groups: 1, resourceBytes: space.usage.bytesOf(next) });
  assertGroupQuotaForArrival(space, ids, { externalId: next.externalId });
  const roster = await changeMembersWithinQuota(space, id, memberChanges);
  const group: Group = { ...ids, ...next, allowDuplicateName, version: 1, createdAt: space.now, updatedAt: space.now };
  space.setGroup(group);
  space.emitGroupEvent('group.created', group);
  // Nested groups have no membership events: like a later addition, they emit `group.updated`.
  if (roster.change().nested) space.emitGroupUpdate(group, group);
  await roster.emitEvents(group);
  const wasPending = await attachPendingMember(space, { ...ids, kind: 'group' }, { externalId: group.externalId });
  return { ...resultOf(space, id), ...(wasPending && { wasPending }) };
}

/** The event of a rename comes before those of the members, which carry the new name. */
async function update(space: Workspace, group: Group, next: NextGroup, members: MemberChange[]): Promise<Result> {
  const isChanged = !isSameJson(group.resource, next.resource);
  // The same group in another form: nobody needs to be told, and its version stays the same.
  const isInOtherForm = !isSamePushed(group.pushed, next.pushed);
  if (isChanged) assertUnique(space, group, next);
  assertNotOwnMember(space, [group.id, group.publicId, group.externalId, next.externalId], members);
  space.usage.assertRoomFor({ resourceBytes: space.usage.bytesOf(next) - space.usage.bytesOf(group) });
  const added = newNames({ externalId: next.externalId }, { externalId: group.externalId });
  assertGroupQuotaForArrival(space, group, added);
  const roster = await changeMembersWithinQuota(space, group.id, members);
  const membersChange = roster.change();
  if (!isChanged && !membersChange.any) {
    if (isInOtherForm) space.setGroup({ ...group, pushed: next.pushed });
    return resultOf(space, group.id);
  }
  const updated = { ...nextVersion(space, group), ...((isChanged || isInOtherForm) && next) };
  space.setGroup(updated);
  if (isChanged || membersChange.nested) space.emitGroupUpdate(group, updated);
  await roster.emitEvents(updated);
  await attachPendingMember(space, { id: group.id, publicId: group.publicId, kind: 'group' }, added);
  return resultOf(space, group.id);
}

async function changeMembersWithinQuota(space: Workspace, groupId: string, members: MemberChange[]): Promise<Roster> {
  const before = space.memberCount(groupId);
  const roster = await changeMembers(space, groupId, members);
  const more = space.memberCount(groupId) - before;
  try {
    space.usage.assertRoom('groupMembers', more, before);
    space.usage.assertRoom('memberships', more, space.membershipCount() - more);
    if (space.usage.isNearGroupsPerMember())
      for (const id of roster.joined()) space.usage.assertRoom('groupsPerMember', 1, space.groupCount(id) - 1);
  } catch (error) {
    await roster.undo();
    throw error;
  }
  return roster;
}

async function remove(space: Workspace, group: Group): Promise<Result> {
  const roster = await changeMembers(space, group.id, [{ kind: 'replace', members: [] }]);
  await roster.emitEvents(group);
  await leaveAllGroups(space, group.id);
  space.removeGroup(group.id);
  space.emitGroupEvent('group.deleted', group);
  return { resourceId: group.id };
}

function assertUnique(
  space: Workspace,
  { id, allowDuplicateName }: Pick<Group, 'id' | 'allowDuplicateName'>,
  { displayName, externalId }: ScimGroup,
): void {
  if (!allowDuplicateName && !space.isDisplayNameFree(displayName, id)) throw new ChangeRejectedError(displayNameTaken);
  if (!space.isGroupExternalIdFree(externalId, id)) throw new ChangeRejectedError(groupExternalIdTaken);
}

/** Cycles over several groups are allowed. */
function assertNotOwnMember(space: Workspace, names: OwnNames, members: MemberChange[]): void {
  if (containsItself(space, names, members)) throw new ChangeRejectedError(selfMembership);
}

function resultOf(space: Workspace, id: string): Result {
  const { version, updatedAt } = space.getGroup(id)!;
  return { resourceId: id, version, at: updatedAt.toISOString() };
}
