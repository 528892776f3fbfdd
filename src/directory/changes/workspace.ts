import { createYieldToEventLoop, forEachYielding } from '../../shared/yield-to-event-loop.ts';
import { createBudget, unlimitedBudget, type Budget } from '../../scim/budget.ts';
import { hides } from '../directories/hiding.ts';
import { toGroupRoles, toShownRoles } from '../roles/compute-roles.ts';
import { findToRecompute } from './find-to-recompute.ts';
import { toComputeAttributes } from '../attributes/compute-attributes.ts';
import type { EventCause } from '../event.ts';
import type { Group } from '../resources/group.ts';
import type { User } from '../resources/user.ts';
import { createEventLog } from './event-log.ts';
import { createIdentities, type Member } from './identities.ts';
import { createJournal, createRows } from './journal.ts';
import { createMemberships } from './memberships.ts';
import type { Snapshot, Writes } from './snapshot.ts';
import { createQuotaChecks } from './quota-checks.ts';

/** As many as a request is recorded for. */
const maxMoved = 100;

export type Workspace = Awaited<ReturnType<typeof createWorkspace>>;

/** The working copy that mutations change one after the other. `writes` returns the net difference, each row once. */
export async function createWorkspace(snapshot: Snapshot, { reason = 'scim' }: { reason?: EventCause | undefined } = {}) {
  const pause = createYieldToEventLoop();
  const journal = createJournal(pause);
  const users = createRows(snapshot.users, journal);
  const groups = createRows(snapshot.groups, journal);
  const identities = await createIdentities(snapshot, journal, pause);
  const memberships = createMemberships(journal);
  await forEachYielding(snapshot.memberships, pause, memberships.load);
  await forEachYielding(snapshot.pendingMembers, pause, memberships.loadPending);
  const usage = createQuotaChecks(snapshot, journal);
  let budget = createBudget(unlimitedBudget);
  const log = createEventLog({ getUser: users.get, budget: () => budget, reason });

  function countRow(kind: 'users' | 'groups', former: User | Group | undefined, row: User | Group | undefined): void {
    usage.add(kind, Number(row !== undefined) - Number(former !== undefined));
    if (row?.resource !== former?.resource || row?.pushed !== former?.pushed)
      usage.add('resourceBytes', usage.bytesOf(row) - usage.bytesOf(former));
  }

  const { hiding, hidden } = snapshot;
  const compute = snapshot.attributeRules && toComputeAttributes(snapshot.attributeRules);
  const { roleTable } = snapshot;
  const recomputed = new Set<string>();
  const moved = new Set<string>();
  let derivedSteps = 0;
  const isHidden = (user: User) => hides(hiding, user);
  const isHiddenMember = (userId: string) => {
    const user = hiding && users.get(userId);
    return user ? isHidden(user) : hidden.has(userId);
  };

  return {
    now: snapshot.now,
    userStateEvents: snapshot.userStateEvents,
    /** Whether the user does not exist in events. */
    isHidden,
    /** To be awaited in long loops. */
    pause,
    memberships,
    usage,
    ...identities,
    eventCount: log.count,
    emitUserEvent: log.emitUserEvent,
    emitUserUpdate: log.emitUserUpdate,
    emitGroupEvent: log.emitGroupEvent,
    emitGroupUpdate: log.emitGroupUpdate,
    /** Emits nothing of a hidden user. */
    emitMembershipEvent(...[type, userId, group]: Parameters<typeof log.emitMembershipEvent>) {
      if (moved.size < maxMoved) moved.add(userId);
      if (!isHiddenMember(userId)) log.emitMembershipEvent(type, userId, group);
    },
    /** The users who joined or left a group since `beginMutation`. */
    moved: () => [...moved],
    holdGroup: log.holdGroup,
    get budget() {
      return budget;
    },
    /** Later changes count against this budget, and can be rolled back. */
    beginMutation(next: Budget) {
      budget = next;
      log.begin();
      journal.begin();
      moved.clear();
    },
    /** Undoes all changes since `beginMutation`. */
    async rollBack() {
      log.rollBack();
      moved.clear();
      await journal.rollBack();
    },

    getUser: users.get,
    /** The work of `derive` so far. It counts against no budget of a mutation: a mapping must not make changes fail. */
    derivedSteps: () => derivedSteps,
    /**
     * The user with what follows from it and the rules of its directory. A stored user without roles, in a directory with a table, is one whose
     * groups the recomputation has not looked at yet: it has no roles until then, and not those of a user without groups.
     */
    derive(user: User, { hasGroupRoles = false } = {}): User {
      const { customAttributes, missing, steps } = compute?.(user.resource) ?? { customAttributes: undefined, missing: [], steps: 0 };
      derivedSteps += steps;
      const stored = users.get(user.id);
      const isPending = !hasGroupRoles && stored !== undefined && stored.roles === undefined;
      const roles = roleTable && !isPending ? toShownRoles(roleTable, user) : undefined;
      return { ...user, customAttributes, lacksRequired: missing.length > 0, groupRoles: roleTable && user.groupRoles, roles };
    },
    /** The user with the roles of the groups that it is in now, as they were read. */
    withGroupRoles(user: User): User {
      const places = roleTable && snapshot.rolePlaces.get(user.id);
      return { ...user, groupRoles: places && toGroupRoles(roleTable, places) };
    },
    /** These users are no longer noted as users to recompute. */
    noteRecomputed(userIds: string[]) {
      for (const id of userIds) recomputed.add(id);
    },
    setUser(user: User) {
      if (users.isUnchanged(user.id)) log.holdUser(user);
      countRow('users', users.get(user.id), user);
      users.set(user);
      identities.setUser(user);
    },
    removeUser(id: string) {
      countRow('users', users.get(id), undefined);
      users.remove(id);
      identities.removeUser(id);
    },
    getGroup: groups.get,
    setGroup(group: Group) {
      if (groups.isUnchanged(group.id)) log.holdGroup(group);
      countRow('groups', groups.get(group.id), group);
      groups.set(group);
      identities.setGroup(group);
    },
    removeGroup(id: string) {
      countRow('groups', groups.get(id), undefined);
      groups.remove(id);
      identities.removeGroup(id);
    },

    memberCount: (groupId: string) => (snapshot.memberCounts.get(groupId) ?? 0) + memberships.growthOf(groupId),
    groupCount: (memberId: string) => (snapshot.groupCounts.get(memberId) ?? 0) + memberships.groupGrowthOf(memberId),
    membershipCount: () => snapshot.usage.memberships + memberships.growth(),
    findMember(value: string): Member | undefined {
      budget.spend(1);
      return identities.findMember(value);
    },

    writes(): Omit<Writes, 'outcomes' | 'bytes'> {
      const written = { users: users.writes(), groups: groups.writes(), ...memberships.writes() };
      return {
        ...written,
        events: log.events,
        resourceBytesGrowth: usage.resourceBytesMore(),
        toRecompute: findToRecompute(snapshot, written),
        recomputed: [...recomputed],
      };
    },
  };
}
