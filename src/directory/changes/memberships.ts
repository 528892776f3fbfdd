import type { Journal } from './journal.ts';
import type { Membership, ParkedMember } from './snapshot.ts';

/** A working copy of who is in which group, as far as it was read, and of who is waited for. */
export interface Memberships {
  /** What is stored, before anything changes. */
  load(membership: Membership): void;
  loadPending(member: ParkedMember): void;
  get(groupId: string, memberId: string): Membership | undefined;
  of(groupId: string): Membership[];
  /** As they are now: what changes afterwards does not show. */
  all(groupId: string): Items<Membership>;
  /** Of a group's members, those that are waited for counted too. */
  countOf(groupId: string): number;
  groupsOf(memberId: string): string[];
  add(membership: Membership): void;
  /** Without looking for it among the members that were read: of somebody who was in the group, the membership as it was; or a new one. */
  addFormer(membership: Membership): void;
  remove(groupId: string, memberId: string): void;
  /** All of its members leave; who is waited for stays so. */
  removeAll(groupId: string): void;
  pendingIn(groupId: string): ParkedMember[];
  isPending(groupId: string, valueKey: string): boolean;
  /** Who is waited for by one of these keys, in any group. */
  pendingUnder(valueKeys: string[]): ParkedMember[];
  getPending(groupId: string, valueKey: string): ParkedMember | undefined;
  addPending(member: ParkedMember): void;
  removePending(groupId: string, valueKey: string): void;
  /** How many more members the group has than were stored, pending members included. */
  growthOf(groupId: string): number;
  /** In how many more groups the user or group is than was stored. */
  groupGrowthOf(memberId: string): number;
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
    loadPending: parked.load,
    get: members.get,
    of: members.of,
    all: members.all,
    countOf: (groupId) => members.countOf(groupId) + parked.countOf(groupId),
    groupsOf: members.groupsWith,
    add: members.set,
    addFormer: members.setFormer,
    remove: members.remove,
    removeAll: members.clear,
    pendingIn: parked.of,
    isPending: (groupId, valueKey) => parked.get(groupId, valueKey) !== undefined,
    pendingUnder: (valueKeys) => valueKeys.flatMap((key) => parked.groupsWith(key).flatMap((groupId) => parked.get(groupId, key) ?? [])),
    getPending: parked.get,
    addPending: parked.set,
    removePending: parked.remove,
    growthOf: (groupId) => members.growthOf(groupId) + parked.growthOf(groupId),
    groupGrowthOf: members.groupGrowthOf,
    growth: () => members.growth() + parked.growth(),
    writes: () => ({ memberships: members.writes(), parked: parked.writes() }),
  };
}

/** Items by their keys, in the order in which they came. A map is one. */
export interface Items<Item> {
  readonly size: number;
  get(key: string): Item | undefined;
  has(key: string): boolean;
  keys(): Iterable<string>;
  values(): Iterable<Item>;
}

/**
 * Items as they were read. They are put into a map when one of them is first looked for: a group may have 100,000 members, and lose them all
 * without that any of them is.
 */
function createStored<Item>(keyOf: (item: Item) => string) {
  const items: Item[] = [];
  let map: Map<string, Item> | undefined;
  const index = () => (map ??= new Map(items.map((item) => [keyOf(item), item])));
  return {
    get size() {
      return items.length;
    },
    /** What is there already comes right after itself: it was found by two ways. */
    load(item: Item) {
      const last = items.at(-1);
      if (last === undefined || keyOf(last) !== keyOf(item)) items.push(item);
    },
    get: (key: string) => index().get(key),
    /** If it was looked for before, or another one was. */
    peek: (key: string) => map?.get(key),
    has: (key: string) => index().has(key),
    keys: () => (map ? map.keys() : items.map(keyOf)),
    values: () => items,
    copy: () => new Map(index()),
  };
}
type Stored<Item> = ReturnType<typeof createStored<Item>>;

/** Items by group and key, in the order in which they came. What was there, left and came back is as if it had never left. */
function createPairs<Item>(groupOf: (item: Item) => string, keyOf: (item: Item) => string, journal: Journal) {
  const before = new Map<string, Stored<Item>>();
  /** A group's items are those of before until the first of them changes. */
  const groups = new Map<string, Items<Item>>();
  const owned = new WeakSet<Items<Item>>();
  const groupsByKey = createReverseIndex(groups, journal);
  const groupsByKeyBefore = createReverseIndex(before, journal);
  let growth = 0;
  journal.onRollBack(() => (growth = [...groups].reduce((sum, [group, items]) => sum + items.size - (before.get(group)?.size ?? 0), 0)));
  const get = (group: string, key: string) => groups.get(group)?.get(key);
  return {
    load(item: Item) {
      const group = groupOf(item);
      let items = before.get(group);
      if (!items) {
        items = createStored(keyOf);
        before.set(group, items);
        groups.set(group, items);
      }
      items.load(item);
    },
    get,
    of: (group: string) => [...(groups.get(group)?.values() ?? [])],
    all: (group: string): Items<Item> => groups.get(group) ?? new Map<string, Item>(),
    countOf: (group: string) => groups.get(group)?.size ?? 0,
    groupsWith: groupsByKey.get,
    set: (item: Item) => setFormer(before.get(groupOf(item))?.get(keyOf(item)) ?? item),
    setFormer,
    remove(group: string, key: string) {
      if (groups.get(group)?.has(key)) {
        journal.delete(own(group), key);
        growth -= 1;
      }
      groupsByKey.remove(key, group);
    },
    clear(group: string) {
      const items = groups.get(group);
      if (groupsByKey.isKnown()) for (const key of items?.keys() ?? []) groupsByKey.remove(key, group);
      growth -= items?.size ?? 0;
      const none = new Map<string, Item>();
      owned.add(none);
      journal.set(groups, group, none);
    },
    growthOf: (group: string) => (groups.get(group)?.size ?? 0) - (before.get(group)?.size ?? 0),
    groupGrowthOf: (key: string) => groupsByKey.count(key) - groupsByKeyBefore.count(key),
    growth: () => growth,
    writes: () => ({ added: missingIn(before, groups, keyOf), removed: missingIn(groups, before, keyOf) }),
  };

  function setFormer(item: Item) {
    const [group, key] = [groupOf(item), keyOf(item)];
    const items = own(group);
    if (!items.has(key)) growth += 1;
    journal.set(items, key, before.get(group)?.peek(key) ?? item);
    groupsByKey.add(key, group);
  }
  function own(group: string): Map<string, Item> {
    const items = groups.get(group);
    if (items && owned.has(items)) return items as Map<string, Item>;
    const copy = before.get(group)?.copy() ?? new Map<string, Item>();
    owned.add(copy);
    journal.set(groups, group, copy);
    return copy;
  }
}

type Pairs<Item> = ReadonlyMap<string, Items<Item>>;

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
  function groupsOf(key: string): string | Set<string> | undefined {
    if (!known) {
      known = new Map();
      for (const [group, items] of groups) for (const one of items.keys()) add(one, group);
    }
    return known.get(key);
  }
  return {
    isKnown: () => known !== undefined,
    add,
    remove(key: string, group: string) {
      const there = known?.get(key);
      if (there === group) known?.delete(key);
      else if (typeof there === 'object') there.delete(group);
    },
    get(key: string): string[] {
      const there = groupsOf(key) ?? [];
      return typeof there === 'string' ? [there] : [...there];
    },
    count(key: string): number {
      const there = groupsOf(key);
      return typeof there === 'object' ? there.size : Number(there !== undefined);
    },
  };
}

function missingIn<Item>(here: Pairs<Item>, there: Pairs<Item>, keyOf: (item: Item) => string): Item[] {
  const missing: Item[] = [];
  for (const [group, items] of there) {
    const others = here.get(group);
    if (others === items) continue;
    const isThere = testFor(items, others, keyOf);
    for (const item of items.values()) if (!isThere(keyOf(item))) missing.push(item);
  }
  return missing;
}

/** Whether one of some items is among others. Where these are many more, they are gone through once, and need no index. */
function testFor<Item>(items: Items<Item>, others: Items<Item> | undefined, keyOf: (item: Item) => string): (key: string) => boolean {
  if (!others || others.size === 0) return () => false;
  if (items.size * 8 > others.size) return (key) => others.has(key);
  const found = new Set<string>();
  for (const other of others.values()) if (items.has(keyOf(other))) found.add(keyOf(other));
  return (key) => found.has(key);
}
