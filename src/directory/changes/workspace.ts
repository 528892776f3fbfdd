import { createYieldToEventLoop, forEachYielding } from '../../shared/yield-to-event-loop.ts';
import { type Budget, createBudget, unlimitedBudget, weighNames } from '../../scim/budget.ts';
import { sizeOf } from '../../scim/resource/size-limits.ts';
import { foldCase } from '../../scim/text.ts';
import type { JsonObject } from '../../scim/json.ts';
import type { NewEvent } from '../event.ts';
import { toGroupProfile, type Group, type GroupProfile, type MemberKind } from '../resources/group.ts';
import { toUserProfile, type User, type UserProfile } from '../resources/user.ts';
import { createJournal, createRows } from './journal.ts';
import { createMemberships } from './memberships.ts';
import { createNames } from './names.ts';
import type { Snapshot, Writes } from './snapshot.ts';
import { createQuotaChecks } from './quota-checks.ts';

export type Workspace = Awaited<ReturnType<typeof createWorkspace>>;

/** Memory of an event besides its document. */
const eventBytes = 256;

/** The working copy that mutations change one after the other. `writes` returns the net difference, each row once. */
export async function createWorkspace(snapshot: Snapshot) {
  const pause = createYieldToEventLoop();
  const journal = createJournal(pause);
  const users = createRows(snapshot.users, journal);
  const groups = createRows(snapshot.groups, journal);
  const [userNames, userExternalIds] = [createNames(journal), createNames(journal)];
  const [displayNames, groupExternalIds] = [createNames(journal), createNames(journal)];
  const kinds = new Map<string, MemberKind>();
  const memberships = createMemberships(journal);
  const usage = createQuotaChecks(snapshot, journal);
  const loading = [
    forEachYielding(snapshot.userNames, pause, ({ id, userNameKey, externalId }) => {
      userNames.load(id, userNameKey);
      userExternalIds.load(id, externalId);
      kinds.set(id, 'user');
    }),
    forEachYielding(snapshot.groupNames, pause, ({ id, displayNameKey, externalId }) => {
      displayNames.load(id, displayNameKey);
      groupExternalIds.load(id, externalId);
      kinds.set(id, 'group');
    }),
    forEachYielding(snapshot.memberships, pause, memberships.load),
    forEachYielding(snapshot.pendingMembers, pause, memberships.loadPending),
  ];
  for (const pausing of loading) if (pausing) await pausing;
  for (const { id, userName, externalId } of snapshot.users) {
    userNames.assign(id, foldCase(userName));
    userExternalIds.assign(id, externalId);
    kinds.set(id, 'user');
  }
  for (const { id, displayName, externalId } of snapshot.groups) {
    displayNames.assign(id, foldCase(displayName));
    groupExternalIds.assign(id, externalId);
    kinds.set(id, 'group');
  }
  const events: NewEvent[] = [];
  const profiles = new WeakMap<User, UserProfile>();
  let budget = createBudget(unlimitedBudget);
  let eventCount = 0;
  let before = { events: 0, eventCount: 0 };

  /** One object per user: it may be in the events of thousands of groups, and is written once. */
  function profileOf(user: User): UserProfile {
    const known = profiles.get(user);
    if (known) return known;
    holdUser(user);
    const profile = toUserProfile(user);
    profiles.set(user, profile);
    return profile;
  }

  function memberOf(id: string | undefined): { id: string; kind: MemberKind } | undefined {
    const kind = id === undefined ? undefined : kinds.get(id);
    return kind && { id: id!, kind };
  }

  const holdUser = ({ resource }: User) => {
    const { emails } = resource;
    budget.spend(Array.isArray(emails) ? emails.length : 1);
    holdDocument(resource);
  };
  const holdGroup = ({ resource }: Pick<Group, 'resource'>) => holdDocument(resource);
  /** Counts the work and memory of writing the document as JSON when the mutation is committed. */
  const holdDocument = (resource: JsonObject) => {
    const { bytes, values } = sizeOf(resource, budget);
    budget.spend(weighNames(Object.keys(resource).length) + (values >> 1) + (bytes >> 7));
    budget.hold(bytes + eventBytes);
  };

  function countRow(kind: 'users' | 'groups', former: User | Group | undefined, row: User | Group | undefined): void {
    usage.add(kind, Number(row !== undefined) - Number(former !== undefined));
    if (row?.resource !== former?.resource) usage.add('resourceBytes', usage.bytesOf(row?.resource) - usage.bytesOf(former?.resource));
  }

  return {
    now: snapshot.now,
    /** To be awaited in long loops. */
    pause,
    memberships,
    usage,
    eventCount: () => eventCount,
    get budget() {
      return budget;
    },
    /** Later changes count against this budget, and can be rolled back. */
    beginMutation(next: Budget) {
      budget = next;
      before = { events: events.length, eventCount };
      journal.begin();
    },
    /** Undoes all changes since `beginMutation`. */
    async rollBack() {
      events.length = before.events;
      eventCount = before.eventCount;
      await journal.rollBack();
    },
    getUser: users.get,
    getGroup: groups.get,

    isUserNameFree: (userName: string, forId: string) => userNames.isFree(foldCase(userName), forId),
    isUserExternalIdFree: userExternalIds.isFree,
    isDisplayNameFree: (displayName: string, forId: string) => displayNames.isFree(foldCase(displayName), forId),
    isGroupExternalIdFree: groupExternalIds.isFree,

    ownerOfUserName: (key: string) => userNames.ownerOf(key),
    releaseUserName: (id: string) => userNames.assign(id, undefined),

    setUser(user: User) {
      if (users.isUnchanged(user.id)) holdUser(user);
      countRow('users', users.get(user.id), user);
      users.set(user);
      if (kinds.get(user.id) !== 'user') journal.set(kinds, user.id, 'user');
      userNames.assign(user.id, foldCase(user.userName));
      userExternalIds.assign(user.id, user.externalId);
    },
    removeUser(id: string) {
      countRow('users', users.get(id), undefined);
      users.remove(id);
      journal.delete(kinds, id);
      userNames.assign(id, undefined);
      userExternalIds.assign(id, undefined);
    },
    setGroup(group: Group) {
      if (groups.isUnchanged(group.id)) holdGroup(group);
      countRow('groups', groups.get(group.id), group);
      groups.set(group);
      if (kinds.get(group.id) !== 'group') journal.set(kinds, group.id, 'group');
      displayNames.assign(group.id, foldCase(group.displayName));
      groupExternalIds.assign(group.id, group.externalId);
    },
    removeGroup(id: string) {
      countRow('groups', groups.get(id), undefined);
      groups.remove(id);
      journal.delete(kinds, id);
      displayNames.assign(id, undefined);
      groupExternalIds.assign(id, undefined);
    },

    memberCount: (groupId: string) => (snapshot.memberCounts.get(groupId) ?? 0) + memberships.growthOf(groupId),
    groupCount: (memberId: string) => (snapshot.groupCounts.get(memberId) ?? 0) + memberships.groupGrowthOf(memberId),
    membershipCount: () => snapshot.usage.memberships + memberships.growth(),

    /** `value` is an id. Some identity providers send an external id or a user name instead. */
    findMember(value: string): { id: string; kind: MemberKind } | undefined {
      budget.spend(1);
      return (
        memberOf(value.toLowerCase()) ??
        memberOf(userExternalIds.ownerOf(value)) ??
        memberOf(userNames.ownerOf(foldCase(value))) ??
        memberOf(groupExternalIds.ownerOf(value))
      );
    },

    emitUserEvent(type: 'user.created' | 'user.updated' | 'user.deleted', user: User) {
      holdUser(user);
      eventCount += 1;
      events.push({ type, data: { ...toUserProfile(user) } });
    },
    emitGroupEvent(type: 'group.created' | 'group.updated' | 'group.deleted', group: Group) {
      holdGroup(group);
      eventCount += 1;
      events.push({ type, data: { ...toGroupProfile(group) } });
    },
    /** Counts the group's document once for all events of its members. */
    holdGroup,
    /** The store adds the profile of a user that was not read. */
    emitMembershipEvent(type: 'group.user_added' | 'group.user_removed', userId: string, group: GroupProfile) {
      const user = users.get(userId);
      budget.spend(3);
      budget.hold(eventBytes);
      eventCount += 1;
      const last = events.at(-1);
      if (user) events.push({ type, userId, group, user: profileOf(user) });
      else if (last && 'userIds' in last && last.group === group && last.type === type) last.userIds.push(userId);
      else events.push({ type, userIds: [userId], group });
    },

    writes: (): Omit<Writes, 'outcomes' | 'bytes'> => ({
      users: users.writes(),
      groups: groups.writes(),
      ...memberships.writes(),
      events,
      resourceBytesGrowth: usage.resourceBytesMore(),
    }),
  };
}
