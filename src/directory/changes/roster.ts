import { forEachYielding } from '../../shared/yield-to-event-loop.ts';
import type { Filter } from '../../scim/filter/filter.ts';
import { createElementTest } from '../../scim/filter/matches.ts';
import { groupType } from '../../scim/schema/resource-types.ts';
import { foldCase } from '../../scim/text.ts';
import { toGroupProfile, type Group, type MemberKind } from '../resources/group.ts';
import type { Identified } from '../resources/resource-ids.ts';
import type { Items } from './grouped-items.ts';
import type { Membership, PendingMember } from './snapshot.ts';
import type { Workspace } from './workspace.ts';
import type { Member } from '../../scim/patch/operation.ts';
import { countTerms, weighComparison } from '../../scim/budget.ts';

/** What differs from the stored members. Pending members count for `any` only. */
interface RosterChange {
  any: boolean;
  nested: boolean;
}

export type Roster = ReturnType<typeof createRoster>;

/** A group's members during a change. Events are emitted for the net difference only. */
export function createRoster(space: Workspace, groupId: string) {
  const { memberships } = space;
  const touched = createTouchedMembers(space, groupId);
  const { touch, touchPending, clear } = touched;

  const roster = {
    add({ value, display = null }: Member | { value: string; display: string | null }) {
      const found = space.findMember(value);
      if (found) roster.addMember({ ...found, display });
      else roster.addPending({ value, display });
    },
    addMember({ id, kind, display, publicId }: Identified & { kind: MemberKind; display: string | null }) {
      const before = touch(id);
      if (memberships.get(groupId, id)) return;
      const membership = before ?? { groupId, memberId: id, kind, display, publicId };
      if (touched.isCleared()) memberships.addPrevious(membership);
      else memberships.add(membership);
    },
    removeMember(memberId: string) {
      touch(memberId);
      memberships.remove(groupId, memberId);
    },
    /** It also removes a pending member of the same name. */
    remove(value: string) {
      const found = space.findMember(value);
      if (found) roster.removeMember(found.id);
      roster.removePending(foldCase(value));
    },
    async replace(next: Member[]) {
      space.budget.spend(4 * memberships.countOf(groupId));
      const kept = new Set<string>();
      await forEachYielding(next, space.pause, ({ value }) => kept.add(space.findMember(value)?.id ?? foldCase(value)));
      // If most members go, it is much faster to remove all and add the kept ones again.
      if (next.length * 2 < memberships.countOf(groupId)) await clear(kept);
      else
        await forEachYielding(memberships.of(groupId), space.pause, ({ memberId }) => {
          if (!kept.has(memberId)) roster.removeMember(memberId);
        });
      await forEachYielding(memberships.pendingIn(groupId), space.pause, ({ valueKey }) => {
        if (!kept.has(valueKey)) roster.removePending(valueKey);
      });
      await forEachYielding(next, space.pause, (member) => roster.add(member));
    },
    async removeMatching(filter: Filter) {
      const terms = countTerms(filter);
      space.budget.spend(memberships.countOf(groupId) * (1 + 2 * terms));
      const matches = createMemberTest(filter);
      const [removed, kept]: [Membership[], Membership[]] = [[], []];
      await forEachYielding(memberships.of(groupId), space.pause, (membership) => {
        const { memberId, kind, display, publicId = memberId } = membership;
        if (display !== null) space.budget.spend(terms * weighComparison(display));
        const isRemoved = matches({ value: publicId, type: kind === 'user' ? 'User' : 'Group', display });
        (isRemoved ? removed : kept).push(membership);
      });
      if (kept.length < removed.length) {
        await clear(new Set());
        await forEachYielding(kept, space.pause, memberships.addPrevious);
      } else await forEachYielding(removed, space.pause, ({ memberId }) => roster.removeMember(memberId));
      await forEachYielding(memberships.pendingIn(groupId), space.pause, ({ value, valueKey, display }) => {
        if (matches({ value, display })) roster.removePending(valueKey);
      });
    },
    addPending({ value, display }: { value: string; display: string | null }) {
      const valueKey = foldCase(value);
      touchPending(valueKey);
      if (!memberships.isPending(groupId, valueKey)) memberships.addPending({ groupId, value, valueKey, display });
    },
    removePending(valueKey: string) {
      touchPending(valueKey);
      memberships.removePending(groupId, valueKey);
    },

    ...createNetDifference(space, groupId, touched),
  };
  return roster;
}

type TouchedMembers = ReturnType<typeof createTouchedMembers>;

/** The members that may differ from the stored ones, and what is stored of each. */
function createTouchedMembers(space: Workspace, groupId: string) {
  const { memberships } = space;
  const members = new Map<string, Membership | undefined>();
  /** The stored members, after all of them were removed in one step: there may be 100,000. */
  let cleared: Items<Membership> = new Map();
  const pending = new Map<string, PendingMember | undefined>();

  return {
    /** Those that were touched one by one. Added members are among them. */
    members,
    pending,
    touch,
    touchPending(valueKey: string) {
      if (!pending.has(valueKey)) pending.set(valueKey, memberships.getPending(groupId, valueKey));
    },
    isCleared: () => cleared.size > 0,
    /** Removes all members. The stored memberships of `returning` are looked up in one pass. */
    async clear(returning: ReadonlySet<string>) {
      const all = memberships.all(groupId);
      if (cleared.size > 0) await forEachYielding(all.values(), space.pause, ({ memberId }) => touch(memberId));
      else {
        await forEachYielding(all.values(), space.pause, (membership) => {
          if (returning.has(membership.memberId) && !members.has(membership.memberId)) members.set(membership.memberId, membership);
        });
        for (const id of returning) if (!members.has(id)) members.set(id, undefined);
        cleared = all;
      }
      memberships.removeAll(groupId);
    },
    *all(): Generator<[id: string, before: Membership | undefined]> {
      yield* members;
      for (const before of cleared.values()) if (!members.has(before.memberId)) yield [before.memberId, before];
    },
  };

  /** Returns the stored membership. */
  function touch(memberId: string): Membership | undefined {
    if (members.has(memberId)) return members.get(memberId);
    if (cleared.size > 0 && cleared.has(memberId)) return cleared.get(memberId);
    const before = memberships.get(groupId, memberId);
    members.set(memberId, before);
    return before;
  }
}

/** Compares the touched members with the stored ones. */
function createNetDifference(space: Workspace, groupId: string, { members, pending, all }: TouchedMembers) {
  const { memberships } = space;
  return {
    /** Restores the stored members. */
    async undo() {
      await forEachYielding(all(), space.pause, ([id, before]) => {
        if (before) memberships.add(before);
        else memberships.remove(groupId, id);
      });
      await forEachYielding(pending, space.pause, ([key, before]) => {
        if (before) memberships.addPending(before);
        else memberships.removePending(groupId, key);
      });
    },

    /** Members that were added. */
    joined: (): string[] => [...members].flatMap(([id, before]) => (before === undefined && isMember(id) ? [id] : [])),
    change(): RosterChange {
      const change = { any: false, nested: false };
      for (const [id, before] of all()) {
        if (isMember(id) === (before !== undefined)) continue;
        change.any = true;
        if (kindOf(id, before) === 'group') change.nested = true;
        if (change.nested) break;
      }
      for (const [key, before] of pending) if (memberships.isPending(groupId, key) !== (before !== undefined)) change.any = true;
      return change;
    },
    /** Removals come before additions. */
    async emitEvents(group: Group) {
      space.holdGroup(group);
      const profile = toGroupProfile(group);
      await forEachYielding(all(), space.pause, ([id, before]) => {
        if (before?.kind === 'user' && !isMember(id)) space.emitMembershipEvent('group.user_removed', id, profile);
      });
      await forEachYielding(members, space.pause, ([id, before]) => {
        if (!before && isMember(id) && kindOf(id, before) === 'user') space.emitMembershipEvent('group.user_added', id, profile);
      });
    },
  };

  function isMember(id: string) {
    return memberships.get(groupId, id) !== undefined;
  }
  function kindOf(id: string, before: Membership | undefined): MemberKind {
    return (memberships.get(groupId, id) ?? before!).kind;
  }
}

const place = { outer: { attribute: 'members' }, type: groupType };
function createMemberTest(filter: Filter): (member: { value: string; type?: string; display: string | null }) => boolean {
  const test = createElementTest(filter, place);
  return ({ value, type, display }) => test({ value, type, display });
}
