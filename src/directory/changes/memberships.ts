import type { Journal } from './journal.ts';
import type { Membership, ParkedMember } from './snapshot.ts';

/** A working copy of who is in which group, as far as it was read, and of who is waited for. */
export interface Memberships {
  /** What is stored, before anything changes. */
  load(membership: Membership): void;
  loadParked(member: ParkedMember): void;
  get(groupId: string, memberId: string): Membership | undefined;
  of(groupId: string): Membership[];
  /** Of a group's members, those that are waited for counted too. */
  countOf(groupId: string): number;
  groupsOf(memberId: string): string[];
  add(membership: Membership): void;
  remove(groupId: string, memberId: string): void;
  /** All of its members leave; who is waited for stays so. */
  removeAll(groupId: string): void;
  parkedIn(groupId: string): ParkedMember[];
  isParked(groupId: string, valueKey: string): boolean;
  /** Who is waited for by one of these keys, in any group. */
  parkedAs(valueKeys: string[]): ParkedMember[];
  getParked(groupId: string, valueKey: string): ParkedMember | undefined;
  park(member: ParkedMember): void;
  unpark(groupId: string, valueKey: string): void;
  /** How many more members the group has than were stored, pending members included. */
  growthOf(groupId: string): number;
  /** Over all groups. */
  growth(): number;
  writes(): { memberships: { added: Membership[]; removed: Membership[] }; parked: { added: ParkedMember[]; removed: ParkedMember[] } };
}

export function createMemberships(journal: Journal): Memberships {
  const members = createPairs<Membership>(
    ({ groupId }) => groupId,
    ({ memberId }) => memberId,
    journal,
  );
  const parked = createPairs<ParkedMember>(
    ({ groupId }) => groupId,
    ({ valueKey }) => valueKey,
    journal,
  );
  return {
    load: members.load,
    loadParked: parked.load,
    get: members.get,
    of: members.of,
    countOf: (groupId) => members.countOf(groupId) + parked.countOf(groupId),
    groupsOf: members.groupsWith,
    add: members.set,
    remove: members.remove,
    removeAll: members.clear,
    parkedIn: parked.of,
    isParked: (groupId, valueKey) => parked.get(groupId, valueKey) !== undefined,
    parkedAs: (valueKeys) => valueKeys.flatMap((key) => parked.groupsWith(key).flatMap((groupId) => parked.get(groupId, key) ?? [])),
    getParked: parked.get,
    park: parked.set,
    unpark: parked.remove,
    growthOf: (groupId) => members.growthOf(groupId) + parked.growthOf(groupId),
    growth: () => members.growth() + parked.growth(),
    writes: () => ({ memberships: members.writes(), parked: parked.writes() }),
  };
}

/** Items by group and key, in the order in which they came. What was there, left and came back is as if it had never left. */
function createPairs<Item>(groupOf: (item: Item) => string, keyOf: (item: Item) => string, journal: Journal) {
  const before: Pairs<Item> = new Map();
  /** A group's items are those of before until the first of them changes. */
  const groups: Pairs<Item> = new Map();
  const groupsByKey = createReverseIndex(groups, journal);
  let growth = 0;
  journal.onRollBack(() => (growth = [...groups].reduce((sum, [group, items]) => sum + items.size - (before.get(group)?.size ?? 0), 0)));
  const get = (group: string, key: string) => groups.get(group)?.get(key);
  return {
    load(item: Item) {
      const group = groupOf(item);
      let items = before.get(group);
      if (!items) {
        items = new Map<string, Item>();
        before.set(group, items);
        groups.set(group, items);
      }
      items.set(keyOf(item), item);
    },
    get,
    of: (group: string) => [...(groups.get(group)?.values() ?? [])],
    countOf: (group: string) => groups.get(group)?.size ?? 0,
    groupsWith: groupsByKey.get,
    set(item: Item) {
      const [group, key] = [groupOf(item), keyOf(item)];
      if (get(group, key) === undefined) growth += 1;
      journal.set(own(group), key, before.get(group)?.get(key) ?? item);
      groupsByKey.add(key, group);
    },
    remove(group: string, key: string) {
      if (groups.get(group)?.has(key)) {
        journal.delete(own(group), key);
        growth -= 1;
      }
      groupsByKey.remove(key, group);
    },
    clear(group: string) {
      for (const key of groups.get(group)?.keys() ?? []) groupsByKey.remove(key, group);
      growth -= groups.get(group)?.size ?? 0;
      journal.set(groups, group, new Map<string, Item>());
    },
    growthOf: (group: string) => (groups.get(group)?.size ?? 0) - (before.get(group)?.size ?? 0),
    growth: () => growth,
    writes: () => ({ added: missingIn(before, groups), removed: missingIn(groups, before) }),
  };

  function own(group: string): Map<string, Item> {
    const items = groups.get(group);
    if (items && items !== before.get(group)) return items;
    const copy = new Map(items);
    journal.set(groups, group, copy);
    return copy;
  }
}

type Pairs<Item> = Map<string, Map<string, Item>>;

/** Groups by key. Few changes ask for it, and a group may have a hundred thousand members: it is made when it is first needed. */
function createReverseIndex(groups: Pairs<unknown>, journal: Journal) {
  /** Most keys are in one group: that needs no set. */
  let known: Map<string, string | Set<string>> | undefined;
  journal.onRollBack(() => (known = undefined));

  function add(key: string, group: string) {
    const there = known?.get(key);
    if (there === undefined) known?.set(key, group);
    else if (typeof there !== 'string') there.add(group);
    else if (there !== group) known?.set(key, new Set([there, group]));
  }
  return {
    add,
    remove(key: string, group: string) {
      const there = known?.get(key);
      if (there === group) known?.delete(key);
      else if (typeof there === 'object') there.delete(group);
    },
    get(key: string): string[] {
      if (!known) {
        known = new Map();
        for (const [group, items] of groups) for (const one of items.keys()) add(one, group);
      }
      const there = known.get(key) ?? [];
      return typeof there === 'string' ? [there] : [...there];
    },
  };
}

function missingIn<Item>(here: Pairs<Item>, there: Pairs<Item>): Item[] {
  const missing: Item[] = [];
  for (const [group, items] of there) {
    const others = here.get(group);
    if (others === items) continue;
    for (const [key, item] of items) if (!others?.has(key)) missing.push(item);
  }
  return missing;
}
