import { forEachYielding, type YieldToEventLoop } from '../../shared/yield-to-event-loop.ts';
import { foldCase } from '../../scim/text.ts';
import type { Group, MemberKind } from '../resources/group.ts';
import { normalize, toOwnKey, type Identified } from '../resources/resource-ids.ts';
import type { User } from '../resources/user.ts';
import type { Journal } from './journal.ts';
import type { Snapshot } from './snapshot.ts';

export interface Member extends Identified {
  kind: MemberKind;
}

/** What identifies users and groups: their IDs, and the names that must be unique. */
export async function createIdentities(snapshot: Snapshot, journal: Journal, pause: YieldToEventLoop) {
  const [userNames, userExternalIds] = [createUniqueNames(journal), createUniqueNames(journal)];
  const [displayNames, groupExternalIds] = [createUniqueNames(journal), createUniqueNames(journal)];
  const kinds = new Map<string, MemberKind>();
  /** By key, and the other way round. A rolled back one may stay, since keys are derived from IDs. */
  const [publicIds, derivedKeys] = [new Map<string, string>(), new Map<string, string>()];
  await load();

  return {
    isUserNameFree: (userName: string, forId: string) => userNames.isFree(foldCase(userName), forId),
    isUserExternalIdFree: userExternalIds.isFree,
    isDisplayNameFree: (displayName: string, forId: string) => displayNames.isFree(foldCase(displayName), forId),
    isGroupExternalIdFree: groupExternalIds.isFree,

    ownerOfUserName: (key: string) => userNames.ownerOf(key),
    releaseUserName: (id: string) => userNames.assign(id, undefined),

    setUser({ id, publicId, userName, externalId }: User): void {
      if (kinds.get(id) !== 'user') journal.set(kinds, id, 'user');
      setPublicId(id, publicId);
      userNames.assign(id, foldCase(userName));
      userExternalIds.assign(id, externalId);
    },
    removeUser(id: string): void {
      journal.delete(kinds, id);
      userNames.assign(id, undefined);
      userExternalIds.assign(id, undefined);
    },
    setGroup({ id, publicId, displayName, externalId }: Group): void {
      if (kinds.get(id) !== 'group') journal.set(kinds, id, 'group');
      setPublicId(id, publicId);
      displayNames.assign(id, foldCase(displayName));
      groupExternalIds.assign(id, externalId);
    },
    removeGroup(id: string): void {
      journal.delete(kinds, id);
      displayNames.assign(id, undefined);
      groupExternalIds.assign(id, undefined);
    },

    /** `value` is an ID. Some identity providers send an external ID or a user name instead. */
    findMember: (value: string): Member | undefined =>
      memberOf(toOwnKey(value) ?? derivedKeys.get(normalize(value))) ??
      memberOf(userExternalIds.ownerOf(value)) ??
      memberOf(userNames.ownerOf(foldCase(value))) ??
      memberOf(groupExternalIds.ownerOf(value)),
  };

  function memberOf(id: string | undefined): Member | undefined {
    const kind = id === undefined ? undefined : kinds.get(id);
    return kind && { id: id!, kind, publicId: publicIds.get(id!) };
  }

  function note(kind: MemberKind, { id, publicId }: Identified): void {
    kinds.set(id, kind);
    setPublicId(id, publicId);
  }

  function setPublicId(id: string, publicId: string | undefined): void {
    if (publicId === undefined) return;
    publicIds.set(id, publicId);
    derivedKeys.set(publicId, id);
  }

  async function load(): Promise<void> {
    const loading = [
      forEachYielding(snapshot.userNames, pause, ({ id, publicId, userNameKey, externalId }) => {
        userNames.load(id, userNameKey);
        userExternalIds.load(id, externalId);
        note('user', { id, publicId });
      }),
      forEachYielding(snapshot.groupNames, pause, ({ id, publicId, displayNameKey, externalId }) => {
        displayNames.load(id, displayNameKey);
        groupExternalIds.load(id, externalId);
        note('group', { id, publicId });
      }),
    ];
    for (const pausing of loading) if (pausing) await pausing;
    for (const { id, publicId, userName, externalId } of snapshot.users) {
      userNames.assign(id, foldCase(userName));
      userExternalIds.assign(id, externalId);
      note('user', { id, publicId });
    }
    for (const { id, publicId, displayName, externalId } of snapshot.groups) {
      displayNames.assign(id, foldCase(displayName));
      groupExternalIds.assign(id, externalId);
      note('group', { id, publicId });
    }
  }
}

/** Which resource has which unique name. */
function createUniqueNames(journal: Journal) {
  const owners = new Map<string, string>();
  const nameOf = new Map<string, string>();
  return {
    /** Loads a stored name. */
    load(id: string, name: string | null): void {
      if (!isName(name)) return;
      owners.set(name, id);
      nameOf.set(id, name);
    },
    ownerOf: (name: string | null | undefined): string | undefined => (isName(name) ? owners.get(name) : undefined),
    isFree: (name: string | null | undefined, forId: string): boolean => !isName(name) || (owners.get(name) ?? forId) === forId,
    /** Replaces the resource's former name. */
    assign(id: string, name: string | null | undefined): void {
      const former = nameOf.get(id);
      if (isName(name) && former === name && owners.get(name) === id) return;
      if (former !== undefined && owners.get(former) === id) journal.delete(owners, former);
      journal.delete(nameOf, id);
      if (!isName(name)) return;
      journal.set(owners, name, id);
      journal.set(nameOf, id, name);
    },
  };
}

const isName = (name: string | null | undefined): name is string => name !== null && name !== undefined;
