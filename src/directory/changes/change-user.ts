import { ScimError } from '../../scim/errors.ts';
import { isSameJson } from '../../scim/json.ts';
import { weigh } from '../../scim/weigh.ts';
import { newUser, patchUser, replaceUser, type ScimUser } from '../../scim/user.ts';
import type { Change, Result } from './mutation.ts';
import type { User } from '../resources/user.ts';
import { assertGroupQuotaForArrival, attachPendingMember, leaveAllGroups, newNames } from './change-members.ts';
import { versionMismatch, userExternalIdTaken, userNameTaken, userNotFound } from './change-errors.ts';
import type { Workspace } from './workspace.ts';

type UserChange = Extract<Change, { kind: 'createUser' | 'replaceUser' | 'patchUser' | 'deleteUser' }>;

/** Throws a `ScimError` before it changes anything. */
export async function changeUser(space: Workspace, change: UserChange): Promise<Result> {
  const { resourceId: id } = change;
  if (change.kind === 'createUser') return create(space, id, newUser(change.resource));
  const user = space.getUser(id);
  if (!user) throw new ScimError(userNotFound);
  if (change.ifMatch && !change.ifMatch.includes(user.version)) throw new ScimError(versionMismatch(user.version));
  if (change.kind === 'deleteUser') return remove(space, user);
  // A replacement is compared with the whole resource. A PATCH shares the unchanged parts with it.
  if (change.kind === 'replaceUser') space.budget.spend(weigh(user.resource));
  const next =
    change.kind === 'replaceUser' ? replaceUser(user.resource, change.resource) : patchUser(user.resource, change.operations, space.budget);
  return update(space, user, next);
}

async function create(space: Workspace, id: string, next: ScimUser): Promise<Result> {
  assertUnique(space, id, next);
  space.usage.assertRoomFor({ users: 1, resourceBytes: space.usage.bytesOf(next.resource) });
  assertGroupQuotaForArrival(space, id, [next.userName, next.externalId]);
  const user: User = { id, ...next, version: 1, createdAt: space.now, updatedAt: space.now };
  space.setUser(user);
  space.emitUserEvent('user.created', user);
  const attaching = attachPendingMember(space, { id, kind: 'user' }, [user.userName, user.externalId]);
  return attaching ? { ...resultOf(user), wasPending: await attaching } : resultOf(user);
}

async function update(space: Workspace, user: User, next: ScimUser): Promise<Result> {
  if (isSameJson(user.resource, next.resource)) return resultOf(user);
  assertUnique(space, user.id, next);
  space.usage.assertRoomFor({ resourceBytes: space.usage.bytesOf(next.resource) - space.usage.bytesOf(user.resource) });
  const added = newNames([next.userName, next.externalId], [user.userName, user.externalId]);
  assertGroupQuotaForArrival(space, user.id, added);
  const updated: User = { ...user, ...next, version: user.version + 1, updatedAt: space.now };
  space.setUser(updated);
  space.emitUserEvent('user.updated', updated);
  const attaching = attachPendingMember(space, { id: user.id, kind: 'user' }, added);
  if (attaching) await attaching;
  return resultOf(updated);
}

async function remove(space: Workspace, user: User): Promise<Result> {
  await leaveAllGroups(space, user.id);
  space.removeUser(user.id);
  space.emitUserEvent('user.deleted', user);
  return { resourceId: user.id };
}

function assertUnique(space: Workspace, id: string, { userName, externalId }: ScimUser): void {
  if (!space.isUserNameFree(userName, id)) throw new ScimError(userNameTaken);
  if (!space.isUserExternalIdFree(externalId, id)) throw new ScimError(userExternalIdTaken);
}

const resultOf = ({ id, version, updatedAt }: User): Result => ({ resourceId: id, version, at: updatedAt.toISOString() });
