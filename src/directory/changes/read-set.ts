import { foldCase } from '../../scim/text.ts';
import type { JsonObject } from '../../scim/json.ts';
import type { Change, Mutation } from './mutation.ts';
import type { User } from '../resources/user.ts';
import type { MemberChange, PatchOperation } from '../../scim/patch/operation.ts';

/** What mutations need to read. It is known in advance, so that it can be read in one round trip; it may be more than needed. */
export interface ReadSet {
  userIds: Set<string>;
  groupIds: Set<string>;
  userNameKeys: Set<string>;
  userExternalIds: Set<string>;
  displayNameKeys: Set<string>;
  groupExternalIds: Set<string>;
  /** Values of members: IDs, external IDs or user names. */
  memberValues: Set<string>;
  /** Groups whose memberships with `memberValues` are needed. */
  someMembersOf: Set<string>;
  allMembersOf: Set<string>;
  /** Groups whose members' display names are needed. */
  displaysOf: Set<string>;
  /** Resources that may be deleted: their memberships are needed. */
  leaving: Set<string>;
  /** Users that are recomputed: which groups of the role table they are in is needed. */
  recomputed: Set<string>;
  /** IDs and names of new resources, under which there may be pending members. */
  arriving: Set<string>;
}

export const createReadSet = (): ReadSet => ({
  userIds: new Set(),
  groupIds: new Set(),
  userNameKeys: new Set(),
  userExternalIds: new Set(),
  displayNameKeys: new Set(),
  groupExternalIds: new Set(),
  memberValues: new Set(),
  someMembersOf: new Set(),
  allMembersOf: new Set(),
  displaysOf: new Set(),
  leaving: new Set(),
  recomputed: new Set(),
  arriving: new Set(),
});

export function collectReadSet(mutations: Mutation[]): ReadSet {
  const reads = createReadSet();
  for (const mutation of mutations) {
    if (mutation.kind === 'recompute')
      for (const id of mutation.userIds) {
        reads.userIds.add(id);
        reads.recomputed.add(id);
      }
    for (const change of changesOf(mutation)) addChange(reads, change);
  }
  return reads;
}

/** With the groups of the users that are deactivated or reactivated: where inactive users are hidden, they leave and join these. */
export function collectWideReadSet(mutations: Mutation[], users: User[]): ReadSet | undefined {
  const byId = new Map(users.map((user) => [user.id, user]));
  const switched = mutations.flatMap(changesOf).flatMap((change) => {
    const user = byId.get(change.resourceId);
    return user && maySwitch(change, user) ? change.resourceId : [];
  });
  if (switched.length === 0) return undefined;
  const reads = collectReadSet(mutations);
  for (const id of switched) reads.leaving.add(id);
  return reads;
}

/** Whether a change sets `active` to another value than the user has, as far as it shows. A PUT without it leaves it as it is. */
function maySwitch(change: Change, { active }: User): boolean {
  if (change.kind === 'replaceUser') return change.resource['active'] !== undefined && (change.resource['active'] !== false) !== active;
  if (change.kind !== 'patchUser') return false;
  return change.operations.some(({ op, target: { path }, value }) => {
    if (path.extension !== undefined || (path.attribute !== undefined && path.attribute !== 'active')) return false;
    return op === 'remove' || path.attribute === undefined || (value !== false) !== active;
  });
}

function changesOf(mutation: Mutation): Change[] {
  if (mutation.kind === 'recompute') return [];
  return mutation.kind === 'bulk'
    ? mutation.operations.flatMap((operation) => ('change' in operation ? operation.change : []))
    : [mutation];
}

function addChange(reads: ReadSet, change: Change): void {
  const { resourceId } = change;
  switch (change.kind) {
    case 'createUser':
      addNewId(reads, change);
      return addUserNames(reads, change.resource);
    case 'replaceUser':
      reads.userIds.add(resourceId);
      return addUserNames(reads, change.resource);
    case 'patchUser':
      reads.userIds.add(resourceId);
      return addUserNames(reads, namesInOperations(change.operations));
    case 'deleteUser':
      reads.userIds.add(resourceId);
      reads.leaving.add(resourceId);
      return;
    case 'createGroup':
      addNewId(reads, change);
      addGroupNames(reads, change.resource);
      return addMembers(reads, resourceId, [{ kind: 'add', members: change.members }]);
    case 'replaceGroup':
      reads.groupIds.add(resourceId);
      addGroupNames(reads, change.resource);
      return addMembers(reads, resourceId, change.members ? [{ kind: 'replace', members: change.members }] : []);
    case 'patchGroup':
      reads.groupIds.add(resourceId);
      addGroupNames(reads, namesInOperations(change.operations));
      return addMembers(reads, resourceId, change.members);
    case 'deleteGroup':
      reads.groupIds.add(resourceId);
      reads.allMembersOf.add(resourceId);
      reads.leaving.add(resourceId);
  }
}

/** A given ID may be in use, by a user or a group. */
function addNewId(reads: ReadSet, { resourceId, givenId }: { resourceId: string; givenId?: string }): void {
  reads.arriving.add(givenId === undefined ? resourceId : foldCase(givenId));
  if (givenId === undefined) return;
  reads.userIds.add(resourceId);
  reads.groupIds.add(resourceId);
}

function addUserNames(reads: ReadSet, { userName, externalId }: JsonObject) {
  for (const name of asStrings(userName)) {
    reads.userNameKeys.add(foldCase(name));
    reads.arriving.add(foldCase(name));
  }
  addExternalIds(reads, reads.userExternalIds, externalId);
}

function addGroupNames(reads: ReadSet, { displayName, externalId }: JsonObject) {
  for (const name of asStrings(displayName)) reads.displayNameKeys.add(foldCase(name));
  addExternalIds(reads, reads.groupExternalIds, externalId);
}

function addExternalIds(reads: ReadSet, externalIds: Set<string>, externalId: unknown) {
  for (const id of asStrings(externalId)) {
    externalIds.add(id);
    reads.arriving.add(foldCase(id));
  }
}

/** All values of all operations: several may set the same attribute. */
function namesInOperations(operations: PatchOperation[]): JsonObject {
  const names: Record<string, unknown[]> = {};
  for (const { target, value } of operations) {
    const { extension, attribute, sub } = target.path;
    if (extension !== undefined || sub !== undefined || attribute === undefined) continue;
    if (['userName', 'displayName', 'externalId'].includes(attribute)) (names[attribute] ??= []).push(value);
  }
  return names;
}

function addMembers(reads: ReadSet, groupId: string, changes: MemberChange[]) {
  for (const change of changes) {
    if (change.kind === 'replace' || change.kind === 'removeMatching') reads.allMembersOf.add(groupId);
    else reads.someMembersOf.add(groupId);
    if (change.kind === 'removeMatching') reads.displaysOf.add(groupId);
    if (change.kind === 'remove') for (const value of change.values) reads.memberValues.add(value);
    else if (change.kind !== 'removeMatching') for (const { value } of change.members) reads.memberValues.add(value);
  }
}

const asStrings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string');
