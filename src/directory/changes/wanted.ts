import type { MemberChange, PatchOperation } from '../../scim/patch/operation.ts';
import { foldCase } from '../../scim/text.ts';
import type { JsonObject } from '../../scim/json.ts';
import type { Change, Mutation } from '../mutation.ts';

/** What mutations look at, known before anything is read: so it can be read at once. More than needed does no harm. */
export interface Wanted {
  userIds: Set<string>;
  groupIds: Set<string>;
  userNameKeys: Set<string>;
  userExternalIds: Set<string>;
  displayNameKeys: Set<string>;
  groupExternalIds: Set<string>;
  /** What members are called by. */
  memberValues: Set<string>;
  /** Groups of which some of `memberValues` may be members. */
  someMembersOf: Set<string>;
  allMembersOf: Set<string>;
  /** Groups of which also the display names of the members are looked at. */
  displaysOf: Set<string>;
  /** Resources that may be deleted, and must leave their groups first. */
  leaving: Set<string>;
  /** Keys by which a member may be parked that now arrives. */
  arriving: Set<string>;
}

export function collectWanted(mutations: Mutation[]): Wanted {
  const wanted: Wanted = {
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
    arriving: new Set(),
  };
  for (const mutation of mutations) {
    for (const change of changesOf(mutation)) want(wanted, change);
  }
  return wanted;
}

const changesOf = (mutation: Mutation): Change[] =>
  mutation.kind === 'bulk' ? mutation.operations.flatMap((operation) => ('change' in operation ? operation.change : [])) : [mutation];

function want(wanted: Wanted, change: Change): void {
  const { resourceId } = change;
  switch (change.kind) {
    case 'createUser':
      wanted.arriving.add(resourceId);
      return wantUserNames(wanted, change.resource);
    case 'replaceUser':
      wanted.userIds.add(resourceId);
      return wantUserNames(wanted, change.resource);
    case 'patchUser':
      wanted.userIds.add(resourceId);
      return wantUserNames(wanted, namesInOperations(change.operations));
    case 'deleteUser':
      wanted.userIds.add(resourceId);
      wanted.leaving.add(resourceId);
      return;
    case 'createGroup':
      wanted.arriving.add(resourceId);
      wantGroupNames(wanted, change.resource);
      return wantMembers(wanted, resourceId, [{ kind: 'add', members: change.members }]);
    case 'replaceGroup':
      wanted.groupIds.add(resourceId);
      wantGroupNames(wanted, change.resource);
      return wantMembers(wanted, resourceId, change.members ? [{ kind: 'replace', members: change.members }] : []);
    case 'patchGroup':
      wanted.groupIds.add(resourceId);
      wantGroupNames(wanted, namesInOperations(change.operations));
      return wantMembers(wanted, resourceId, change.members);
    case 'deleteGroup':
      wanted.groupIds.add(resourceId);
      wanted.allMembersOf.add(resourceId);
      wanted.leaving.add(resourceId);
  }
}

function wantUserNames(wanted: Wanted, { userName, externalId }: JsonObject) {
  for (const name of asStrings(userName)) {
    wanted.userNameKeys.add(foldCase(name));
    wanted.arriving.add(foldCase(name));
  }
  wantExternalIds(wanted, wanted.userExternalIds, externalId);
}

function wantGroupNames(wanted: Wanted, { displayName, externalId }: JsonObject) {
  for (const name of asStrings(displayName)) wanted.displayNameKeys.add(foldCase(name));
  wantExternalIds(wanted, wanted.groupExternalIds, externalId);
}

function wantExternalIds(wanted: Wanted, externalIds: Set<string>, externalId: unknown) {
  for (const id of asStrings(externalId)) {
    externalIds.add(id);
    wanted.arriving.add(foldCase(id));
  }
}

/** Several operations may name the same attribute, and each one's value may come to stand there. */
function namesInOperations(operations: PatchOperation[]): JsonObject {
  const names: Record<string, unknown[]> = {};
  for (const { target, value } of operations) {
    const { extension, attribute, sub } = target.path;
    if (extension !== undefined || sub !== undefined || attribute === undefined) continue;
    if (['userName', 'displayName', 'externalId'].includes(attribute)) (names[attribute] ??= []).push(value);
  }
  return names;
}

function wantMembers(wanted: Wanted, groupId: string, changes: MemberChange[]) {
  for (const change of changes) {
    if (change.kind === 'replace' || change.kind === 'removeMatching') wanted.allMembersOf.add(groupId);
    else wanted.someMembersOf.add(groupId);
    if (change.kind === 'removeMatching') wanted.displaysOf.add(groupId);
    if (change.kind === 'remove') for (const value of change.values) wanted.memberValues.add(value);
    else if (change.kind !== 'removeMatching') for (const { value } of change.members) wanted.memberValues.add(value);
  }
}

const asStrings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string');
