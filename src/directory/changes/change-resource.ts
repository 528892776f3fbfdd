import { OverBudgetError, ScimError } from '../../scim/errors.ts';
import type { Bulk, BulkOperation, Change, Outcome, Result } from './mutation.ts';
import { changeGroup } from './change-group.ts';
import { toNewIds } from './new-ids.ts';
import {
  assertGroupQuotaForArrival,
  attachPendingMember,
  discardPendingMembers,
  emitMembershipsOf,
  leaveAllGroups,
  newNames,
} from './change-members.ts';
import {
  ChangeRejectedError,
  dependencyFailed,
  userExternalIdTaken,
  userNameTaken,
  userNotFound,
  versionMismatch,
} from './change-errors.ts';
import type { Workspace } from './workspace.ts';
import { foldCase } from '../../scim/text.ts';
import { isSameJson } from '../../scim/json.ts';
import { isSamePushed } from '../../scim/pushed.ts';
import { userType } from '../../scim/schema/resource-types.ts';
import { looksSame } from './recompute-users.ts';
import { keepShown, withPatched, withPushed } from './with-pushed.ts';
import { type ScimUser, newUser, patchUser, replaceUser } from '../../scim/user.ts';
import type { Identified } from '../resources/resource-ids.ts';
import type { UserUpdate } from '../event.ts';
import type { User } from '../resources/user.ts';
import { weigh } from '../../scim/budget.ts';

/** Changes one resource. A rejected change does not change the workspace. Throws if the mutation exceeds its budget. */
export async function changeResource(space: Workspace, change: Change): Promise<Result> {
  try {
    switch (change.kind) {
      case 'createUser':
      case 'replaceUser':
      case 'patchUser':
      case 'deleteUser':
        return await changeUser(space, change);
      case 'createGroup':
      case 'replaceGroup':
      case 'patchGroup':
      case 'deleteGroup':
        return await changeGroup(space, change);
    }
  } catch (error) {
    if (error instanceof ChangeRejectedError) return { resourceId: change.resourceId, error: error.error };
    if (error instanceof ScimError && !(error instanceof OverBudgetError)) return { resourceId: change.resourceId, error: error.details };
    throw error;
  }
}

export async function changeInBulk(
  space: Workspace,
  { operations, failOnErrors = Infinity, deferUniqueness = false }: Bulk,
): Promise<Pick<Outcome, 'results' | 'attempted'>> {
  const results: (Result & { index: number })[] = [];
  const failed = new Set<number>();
  const invalid = new Set(operations.filter((operation) => !('change' in operation)).map(({ index }) => index));
  let attempted = 0;
  if (deferUniqueness) releaseNames(space, operations);
  const hasFailed = (index: number) => failed.has(index) || invalid.has(index);
  for (const operation of operations) {
    if (failed.size >= failOnErrors) break;
    attempted += 1;
    if (!('change' in operation)) {
      failed.add(operation.index);
      continue;
    }
    const result = await applyOperation(space, operation, hasFailed);
    if (result.error) failed.add(operation.index);
    results.push({ index: operation.index, ...result });
    await space.pause();
  }
  // In a cycle, a group may have a pending member for a resource whose creation failed or was skipped.
  const applied = new Set(results.filter(({ error }) => !error).map(({ index }) => index));
  discardPendingMembers(space, operations.filter(({ index }) => !applied.has(index)).flatMap(createdId));
  return { results, ...(attempted < operations.length && { attempted }) };
}

const createdId = (operation: BulkOperation): string[] =>
  'change' in operation && (operation.change.kind === 'createUser' || operation.change.kind === 'createGroup')
    ? [operation.change.resourceId]
    : [];

async function applyOperation(
  space: Workspace,
  { change, dependsOn }: Extract<BulkOperation, { change: Change }>,
  hasFailed: (index: number) => boolean,
): Promise<Result> {
  if (dependsOn.some(hasFailed)) return { resourceId: change.resourceId, error: dependencyFailed };
  return changeResource(space, change);
}

type UserChange = Extract<Change, { kind: 'createUser' | 'replaceUser' | 'patchUser' | 'deleteUser' }>;

/** Throws before it changes anything. */
async function changeUser(space: Workspace, change: UserChange): Promise<Result> {
  const { budget } = space;
  if (change.kind === 'createUser') return create(space, toNewIds(space, change), withPushed(newUser(change.resource), change, budget));
  const user = space.getUser(change.resourceId);
  if (!user) throw new ChangeRejectedError(userNotFound);
  if (change.ifMatch && !change.ifMatch.includes(user.version)) throw new ChangeRejectedError(versionMismatch(user.version));
  if (change.kind === 'deleteUser') return remove(space, user);
  if (change.kind === 'patchUser') {
    const next = patchUser(user.resource, change.operations, budget);
    return update(space, user, keepShown(user, withPatched(next, user, { operations: change.pushed, type: userType, budget })));
  }
  // A replacement is compared with the whole resource. A PATCH shares the unchanged parts with it.
  budget.spend(weigh(user.resource));
  return update(space, user, withPushed(replaceUser(user.resource, change.resource), change, budget));
}

type NextUser = ScimUser & Pick<User, 'pushed'>;

async function create(space: Workspace, ids: Identified, next: NextUser): Promise<Result> {
  const { id } = ids;
  assertUnique(space, id, next);
  space.usage.assertRoomFor({ users: 1, resourceBytes: space.usage.bytesOf(next) });
  assertGroupQuotaForArrival(space, ids, next);
  const user = space.derive({ ...ids, ...next, version: 1, createdAt: space.now, updatedAt: space.now });
  space.setUser(user);
  if (!space.isHidden(user)) space.emitUserEvent('user.created', user);
  const attaching = attachPendingMember(space, { ...ids, kind: 'user' }, user);
  return attaching ? { ...resultOf(user), wasPending: await attaching } : resultOf(user);
}

async function update(space: Workspace, user: User, next: NextUser): Promise<Result> {
  const isChanged = !isSameJson(user.resource, next.resource);
  if (!isChanged && isSamePushed(user.pushed, next.pushed)) return resultOf(user);
  assertUnique(space, user.id, next);
  space.usage.assertRoomFor({ resourceBytes: space.usage.bytesOf(next) - space.usage.bytesOf(user) });
  if (!isChanged) {
    // The same user in another form. What SCIM shows stays the same, and so do the version and the ETag. Nobody needs to be told, unless pushed
    // roles count.
    const reformed = space.derive({ ...user, pushed: next.pushed });
    space.setUser(reformed);
    if (!looksSame(user, reformed) && !space.isHidden(user)) space.emitUserUpdate('user.updated', user, reformed);
    return resultOf(user);
  }
  const added = newNames(next, user);
  assertGroupQuotaForArrival(space, user, added);
  const updated = space.derive({ ...user, ...next, version: user.version + 1, updatedAt: space.now });
  await setAndEmit(space, user, updated);
  const attaching = attachPendingMember(space, { id: user.id, publicId: user.publicId, kind: 'user' }, added);
  if (attaching) await attaching;
  return resultOf(updated);
}

/** In events a hidden user does not exist: an update may emit a deletion, a creation, or nothing. */
async function setAndEmit(space: Workspace, former: User, user: User): Promise<void> {
  const [wasHidden, isHidden] = [space.isHidden(former), space.isHidden(user)];
  if (isHidden && !wasHidden) await emitMembershipsOf(space, user.id, 'group.user_removed');
  space.setUser(user);
  if (isHidden && !wasHidden) space.emitUserEvent('user.deleted', user);
  else if (wasHidden && !isHidden) {
    space.emitUserEvent('user.created', user);
    await emitMembershipsOf(space, user.id, 'group.user_added');
  } else if (!isHidden) space.emitUserUpdate(toUpdateType(space, former, user), former, user);
}

function toUpdateType({ userStateEvents }: Workspace, former: User, { active }: User): UserUpdate {
  if (!userStateEvents || former.active === active) return 'user.updated';
  return active ? 'user.reactivated' : 'user.deactivated';
}

async function remove(space: Workspace, user: User): Promise<Result> {
  await leaveAllGroups(space, user.id);
  space.removeUser(user.id);
  if (!space.isHidden(user)) space.emitUserEvent('user.deleted', user);
  return { resourceId: user.id };
}

function assertUnique(space: Workspace, id: string, { userName, externalId }: ScimUser): void {
  if (!space.isUserNameFree(userName, id)) throw new ChangeRejectedError(userNameTaken);
  if (!space.isUserExternalIdFree(externalId, id)) throw new ChangeRejectedError(userExternalIdTaken);
}

const resultOf = ({ id, version, updatedAt }: User): Result => ({ resourceId: id, version, at: updatedAt.toISOString() });

/**
 * Allows users to swap user names in one mutation: releases the names of all users whose new name is free, or is released by another of
 * them. Postgres checks uniqueness at the end of the statement.
 */
function releaseNames(space: Workspace, operations: BulkOperation[]): void {
  const claimed = new Map(operations.flatMap((operation) => newNameOf(space, operation)));
  const claims = new Map<string, number>();
  for (const name of claimed.values()) claims.set(name, (claims.get(name) ?? 0) + 1);
  for (let before = -1; before !== claimed.size;) {
    before = claimed.size;
    for (const [id, name] of claimed) {
      const owner = space.ownerOfUserName(name);
      if (claims.get(name)! > 1 || (owner !== undefined && !claimed.has(owner))) claimed.delete(id);
    }
  }
  for (const id of claimed.keys()) space.releaseUserName(id);
}

function newNameOf(space: Workspace, operation: BulkOperation): [id: string, name: string][] {
  if (!('change' in operation) || operation.change.kind !== 'replaceUser') return [];
  const { resourceId, resource } = operation.change;
  const user = space.getUser(resourceId);
  const name = foldCase(String(resource['userName']));
  return user && foldCase(user.userName) !== name ? [[resourceId, name]] : [];
}
