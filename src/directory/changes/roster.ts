import { forEachPausing } from '../../shared/pause.ts';
import type { Filter } from '../../scim/filter/filter.ts';
import { createElementTest } from '../../scim/filter/matches.ts';
import type { Member } from '../../scim/patch/operation.ts';
import { groupType } from '../../scim/schema/resource-types.ts';
import { foldCase } from '../../scim/text.ts';
import { countTerms, weighComparison } from '../../scim/weigh.ts';
import { toGroupProfile, type Group, type MemberKind } from '../group.ts';
import type { Items } from './memberships.ts';
import type { Membership, ParkedMember } from './snapshot.ts';
import type { Workspace } from './workspace.ts';

/** What is different in the end. Who is waited for is part of `any` alone. */
export interface RosterChange {
  any: boolean;
  nested: boolean;
}

export type Roster = ReturnType<typeof createRoster>;

/** A group's list of members, while it is changed. Only what is different in the end is told. */
export function createRoster(space: Workspace, groupId: string) {
  const { memberships } = space;
  /** Members that were touched, as they were before. */
  const members = new Map<string, Membership | undefined>();
  /** All members that left at once. There may be 100,000: they are not touched one by one. */
  let cleared: Items<Membership> = new Map();
  const parked = new Map<string, ParkedMember | undefined>();

  const roster = {
    add({ value, display = null }: Member | { value: string; display: string | null }) {
      const found = space.findMember(value);
      if (found) roster.join({ ...found, display });
      else roster.park({ value, display });
    },
    join({ id, kind, display }: { id: string; kind: MemberKind; display: string | null }) {
      const before = touch(id);
      if (memberships.get(groupId, id)) return;
      const membership = before ?? { groupId, memberId: id, kind, display };
      if (cleared.size > 0) memberships.addFormer(membership);
      else memberships.add(membership);
    },
    leave(memberId: string) {
      touch(memberId);
      memberships.remove(groupId, memberId);
    },
    /** Whoever was waited for under the same name goes too. */
    remove(value: string) {
      const found = space.findMember(value);
      if (found) roster.leave(found.id);
      roster.unpark(foldCase(value));
    },
    async replace(wanted: Member[]) {
      space.budget.spend(4 * memberships.countOf(groupId));
      const stay = new Set<string>();
      await forEachPausing(wanted, space.pause, ({ value }) => stay.add(space.findMember(value)?.id ?? foldCase(value)));
      // Of many, most leave: it takes a fraction of the time to let all go, and those that stay come back as they were.
      if (wanted.length * 2 < memberships.countOf(groupId)) await clear(stay);
      else
        await forEachPausing(memberships.of(groupId), space.pause, ({ memberId }) => {
          if (!stay.has(memberId)) roster.leave(memberId);
        });
      await forEachPausing(memberships.pendingIn(groupId), space.pause, ({ valueKey }) => {
        if (!stay.has(valueKey)) roster.unpark(valueKey);
      });
      await forEachPausing(wanted, space.pause, (member) => roster.add(member));
    },
    async removeMatching(filter: Filter) {
      const terms = countTerms(filter);
      space.budget.spend(memberships.countOf(groupId) * (1 + 2 * terms));
      const isMeant = createMemberTest(filter);
      const [leaving, staying]: [Membership[], Membership[]] = [[], []];
      await forEachPausing(memberships.of(groupId), space.pause, (membership) => {
        const { memberId, kind, display } = membership;
        if (display !== null) space.budget.spend(terms * weighComparison(display));
        const isLeaving = isMeant({ value: memberId, type: kind === 'user' ? 'User' : 'Group', display });
        (isLeaving ? leaving : staying).push(membership);
      });
      // As in `replace`.
      if (staying.length < leaving.length) {
        await clear(new Set());
        await forEachPausing(staying, space.pause, memberships.addFormer);
      } else await forEachPausing(leaving, space.pause, ({ memberId }) => roster.leave(memberId));
      await forEachPausing(memberships.pendingIn(groupId), space.pause, ({ value, valueKey, display }) => {
        if (isMeant({ value, display })) roster.unpark(valueKey);
      });
    },
    park({ value, display }: { value: string; display: string | null }) {
      const valueKey = foldCase(value);
      touchParked(valueKey);
      if (!memberships.isPending(groupId, valueKey)) memberships.addPending({ groupId, value, valueKey, display });
    },
    unpark(valueKey: string) {
      touchParked(valueKey);
      memberships.removePending(groupId, valueKey);
    },

    /** As if nothing had been changed. */
    async undo() {
      await forEachPausing(touched(), space.pause, ([id, before]) => {
        if (before) memberships.add(before);
        else memberships.remove(groupId, id);
      });
      await forEachPausing(parked, space.pause, ([key, before]) => {
        if (before) memberships.addPending(before);
        else memberships.removePending(groupId, key);
      });
    },

    /** Who is a member and was not before. */
    joined: (): string[] => [...members].flatMap(([id, before]) => (before === undefined && isMember(id) ? [id] : [])),
    change(): RosterChange {
      const change = { any: false, nested: false };
      for (const [id, before] of touched()) {
        if (isMember(id) === (before !== undefined)) continue;
        change.any = true;
        if (kindOf(id, before) === 'group') change.nested = true;
        if (change.nested) break;
      }
      for (const [key, before] of parked) if (memberships.isPending(groupId, key) !== (before !== undefined)) change.any = true;
      return change;
    },
    /** Who left comes first. */
    async tell(group: Group) {
      space.holdGroup(group);
      const profile = toGroupProfile(group);
      await forEachPausing(touched(), space.pause, ([id, before]) => {
        if (before?.kind === 'user' && !isMember(id)) space.tellMembership('group.user_removed', id, profile);
      });
      await forEachPausing(members, space.pause, ([id, before]) => {
        if (!before && isMember(id) && kindOf(id, before) === 'user') space.tellMembership('group.user_added', id, profile);
      });
    },
  };
  return roster;

  /** Lets all members go; those that come back are looked up in one go. */
  async function clear(returning: ReadonlySet<string>) {
    const all = memberships.all(groupId);
    if (cleared.size > 0) await forEachPausing(all.values(), space.pause, ({ memberId }) => touch(memberId));
    else {
      await forEachPausing(all.values(), space.pause, (membership) => {
        if (returning.has(membership.memberId) && !members.has(membership.memberId)) members.set(membership.memberId, membership);
      });
      for (const id of returning) if (!members.has(id)) members.set(id, undefined);
      cleared = all;
    }
    memberships.removeAll(groupId);
  }
  function* touched(): Generator<[id: string, before: Membership | undefined]> {
    yield* members;
    for (const before of cleared.values()) if (!members.has(before.memberId)) yield [before.memberId, before];
  }
  /** Gives the membership as it was. */
  function touch(memberId: string): Membership | undefined {
    if (members.has(memberId)) return members.get(memberId);
    if (cleared.size > 0 && cleared.has(memberId)) return cleared.get(memberId);
    const before = memberships.get(groupId, memberId);
    members.set(memberId, before);
    return before;
  }
  function touchParked(valueKey: string) {
    if (!parked.has(valueKey)) parked.set(valueKey, memberships.getPending(groupId, valueKey));
  }
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
