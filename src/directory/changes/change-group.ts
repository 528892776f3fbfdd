import { ScimError, type ScimRefusal } from '../../scim/errors.ts';
import { newGroup, patchGroup, replaceGroup, type ScimGroup } from '../../scim/group.ts';
import { isSameJson } from '../../scim/json.ts';
import type { MemberChange } from '../../scim/patch/operation.ts';
import { weigh } from '../../scim/weigh.ts';
import type { Group } from '../group.ts';
import type { Change, Result } from '../mutation.ts';
import {
  assertGroupQuotaForArrival,
  attachPendingMember,
  changeMembers,
  leaveAllGroups,
  namesItself,
  nextVersion,
  type OwnNames,
  takenNames,
} from './change-members.ts';
import { versionMismatch, displayNameTaken, groupExternalIdTaken, groupNotFound, selfMembership } from './refusals.ts';
import type { Roster } from './roster.ts';
import type { Workspace } from './workspace.ts';

type GroupChange = Extract<Change, { kind: 'createGroup' | 'replaceGroup' | 'patchGroup' | 'deleteGroup' }>;

/** Throws its refusal before anything has changed. */
export async function changeGroup(space: Workspace, change: GroupChange): Promise<Result> {
  const { resourceId: id } = change;
  if (change.kind === 'createGroup') return create(space, change, newGroup(change.resource));
  const group = space.getGroup(id);
  if (!group) throw new ScimError(groupNotFound);
  if (change.ifMatch && !change.ifMatch.includes(group.version)) throw new ScimError(versionMismatch(group.version));
  if (change.kind === 'deleteGroup') return remove(space, group);
  if (change.kind === 'patchGroup')
    return update(space, group, patchGroup(group.resource, change.operations, space.budget), change.members);
  const members: MemberChange[] = change.members ? [{ kind: 'replace', members: change.members }] : [];
  space.budget.spend(weigh(group.resource));
  return update(space, group, replaceGroup(group.resource, change.resource), members);
}

async function create(
  space: Workspace,
  { resourceId: id, sharesName = false, members: added }: Extract<Change, { kind: 'createGroup' }>,
  wanted: ScimGroup,
): Promise<Result> {
  const members: MemberChange[] = [{ kind: 'add', members: added }];
  refuse(findConflict(space, { id, sharesName }, wanted) ?? findOwnMembership(space, [id, wanted.externalId], members));
  space.usage.assertRoomFor({ groups: 1, resourceBytes: space.usage.bytesOf(wanted.resource) });
  assertGroupQuotaForArrival(space, id, [wanted.externalId]);
  const roster = await changeMembersWithinQuota(space, id, members);
  const group: Group = { id, ...wanted, sharesName, version: 1, createdAt: space.now, updatedAt: space.now };
  space.setGroup(group);
  space.tellGroup('group.created', group);
  // As when they are added later: the groups in it are told by an event of its own.
  if (roster.change().nested) space.tellGroup('group.updated', group);
  await roster.tell(group);
  const awaited = await attachPendingMember(space, { id, kind: 'group' }, [group.externalId]);
  return { ...resultOf(space, id), ...(awaited && { awaited }) };
}

/** The rename comes before the members' events, so that these carry the new name. */
async function update(space: Workspace, group: Group, wanted: ScimGroup, members: MemberChange[]): Promise<Result> {
  const isRewritten = !isSameJson(group.resource, wanted.resource);
  if (isRewritten) refuse(findConflict(space, group, wanted));
  refuse(findOwnMembership(space, [group.id, group.externalId, wanted.externalId], members));
  if (isRewritten) space.usage.assertRoomFor({ resourceBytes: space.usage.bytesOf(wanted.resource) - space.usage.bytesOf(group.resource) });
  const taken = takenNames([wanted.externalId], [group.externalId]);
  assertGroupQuotaForArrival(space, group.id, taken);
  const roster = await changeMembersWithinQuota(space, group.id, members);
  const changed = roster.change();
  if (!isRewritten && !changed.any) return resultOf(space, group.id);
  const updated = { ...nextVersion(space, group), ...(isRewritten && wanted) };
  space.setGroup(updated);
  if (isRewritten || changed.nested) space.tellGroup('group.updated', updated);
  await roster.tell(updated);
  await attachPendingMember(space, { id: group.id, kind: 'group' }, taken);
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
  await roster.tell(group);
  await leaveAllGroups(space, group.id);
  space.removeGroup(group.id);
  space.tellGroup('group.deleted', group);
  return { resourceId: group.id };
}

function findConflict(
  space: Workspace,
  { id, sharesName }: Pick<Group, 'id' | 'sharesName'>,
  { displayName, externalId }: ScimGroup,
): ScimRefusal | undefined {
  if (!sharesName && !space.isDisplayNameFree(displayName, id)) return displayNameTaken;
  if (!space.isGroupExternalIdFree(externalId, id)) return groupExternalIdTaken;
  return undefined;
}

/** Circles over several groups are let pass: each of them is somebody else's member. */
const findOwnMembership = (space: Workspace, names: OwnNames, members: MemberChange[]): ScimRefusal | undefined =>
  namesItself(space, names, members) ? selfMembership : undefined;

function refuse(refusal: ScimRefusal | undefined) {
  if (refusal) throw new ScimError(refusal);
}

function resultOf(space: Workspace, id: string): Result {
  const { version, updatedAt } = space.getGroup(id)!;
  return { resourceId: id, version, at: updatedAt.toISOString() };
}
