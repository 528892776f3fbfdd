import { ScimError, type ScimRefusal } from '../../scim/errors.ts';
import { isSameJson } from '../../scim/json.ts';
import { weigh } from '../../scim/weigh.ts';
import { newUser, patchUser, replaceUser, type ScimUser } from '../../scim/user.ts';
import type { Change, Result } from '../mutation.ts';
import type { User } from '../user.ts';
import { assertGroupQuotaForArrival, attachPendingMember, leaveAllGroups, takenNames } from './change-members.ts';
import { versionMismatch, userExternalIdTaken, userNameTaken, userNotFound } from './refusals.ts';
import type { Workspace } from './workspace.ts';

type UserChange = Extract<Change, { kind: 'createUser' | 'replaceUser' | 'patchUser' | 'deleteUser' }>;

/** Throws its refusal before anything has changed. */
export async function changeUser(space: Workspace, change: UserChange): Promise<Result> {
  const { resourceId: id } = change;
  if (change.kind === 'createUser') return create(space, id, newUser(change.resource));
  const user = space.getUser(id);
  if (!user) throw new ScimError(userNotFound);
  if (change.ifMatch && !change.ifMatch.includes(user.version)) throw new ScimError(versionMismatch(user.version));
  if (change.kind === 'deleteUser') return remove(space, user);
  // It is compared as a whole, and measured. A PATCH shares with it what it does not change.
  if (change.kind === 'replaceUser') space.budget.spend(weigh(user.resource));
  const wanted =
    change.kind === 'replaceUser' ? replaceUser(user.resource, change.resource) : patchUser(user.resource, change.operations, space.budget);
  return update(space, user, wanted);
}

async function create(space: Workspace, id: string, wanted: ScimUser): Promise<Result> {
  refuse(findConflict(space, id, wanted));
  space.usage.assertRoomFor({ users: 1, resourceBytes: space.usage.bytesOf(wanted.resource) });
  assertGroupQuotaForArrival(space, id, [wanted.userName, wanted.externalId]);
  const user: User = { id, ...wanted, version: 1, createdAt: space.now, updatedAt: space.now };
  space.setUser(user);
  space.tellUser('user.created', user);
  const attaching = attachPendingMember(space, { id, kind: 'user' }, [user.userName, user.externalId]);
  return attaching ? { ...resultOf(user), awaited: await attaching } : resultOf(user);
}

async function update(space: Workspace, user: User, wanted: ScimUser): Promise<Result> {
  if (isSameJson(user.resource, wanted.resource)) return resultOf(user);
  refuse(findConflict(space, user.id, wanted));
  space.usage.assertRoomFor({ resourceBytes: space.usage.bytesOf(wanted.resource) - space.usage.bytesOf(user.resource) });
  const taken = takenNames([wanted.userName, wanted.externalId], [user.userName, user.externalId]);
  assertGroupQuotaForArrival(space, user.id, taken);
  const updated: User = { ...user, ...wanted, version: user.version + 1, updatedAt: space.now };
  space.setUser(updated);
  space.tellUser('user.updated', updated);
  const attaching = attachPendingMember(space, { id: user.id, kind: 'user' }, taken);
  if (attaching) await attaching;
  return resultOf(updated);
}

async function remove(space: Workspace, user: User): Promise<Result> {
  await leaveAllGroups(space, user.id);
  space.removeUser(user.id);
  space.tellUser('user.deleted', user);
  return { resourceId: user.id };
}

function findConflict(space: Workspace, id: string, { userName, externalId }: ScimUser): ScimRefusal | undefined {
  if (!space.isUserNameFree(userName, id)) return userNameTaken;
  if (!space.isUserExternalIdFree(externalId, id)) return userExternalIdTaken;
  return undefined;
}

function refuse(refusal: ScimRefusal | undefined) {
  if (refusal) throw new ScimError(refusal);
}

const resultOf = ({ id, version, updatedAt }: User): Result => ({ resourceId: id, version, at: updatedAt.toISOString() });
