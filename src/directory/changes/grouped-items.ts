import type { Journal } from './journal.ts';

/** Items by key, in insertion order. */
export interface Items<Item> {
  readonly size: number;
  get(key: string): Item | undefined;
  has(key: string): boolean;
  keys(): Iterable<string>;
  values(): Iterable<Item>;
}

/**
 * Items as they were read. The map is built on the first lookup: a change may remove all of 100,000 members without looking any of them up.
 */
function createStored<Item>(keyOf: (item: Item) => string) {
  const items: Item[] = [];
  let map: Map<string, Item> | undefined;
  const index = () => (map ??= new Map(items.map((item) => [keyOf(item), item])));
  return {
    get size() {
      return items.length;
    },
    /** Duplicates are adjacent: two queries may return the same row. */
    load(item: Item) {
      const last = items.at(-1);
      if (last === undefined || keyOf(last) !== keyOf(item)) items.push(item);
    },
    get: (key: string) => index().get(key),
    /** Finds the item only if the map was built. */
    peek: (key: string) => map?.get(key),
    has: (key: string) => index().has(key),
    keys: () => (map ? map.keys() : items.map(keyOf)),
    values: () => items,
    copy: () => new Map(index()),
  };
}
type Stored<Item> = ReturnType<typeof createStored<Item>>;

/** A working copy of items by group and key, in insertion order. An item that was removed and added again counts as unchanged. */
export function createGroupedItems<Item>(groupOf: (item: Item) => string, keyOf: (item: Item) => string, journal: Journal) {
  const before = new Map<string, Stored<Item>>();
  /** A group shares its items with `before` until the first change, which copies them. */
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
    set: (item: Item) => setPrevious(before.get(groupOf(item))?.get(keyOf(item)) ?? item),
    setPrevious,
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
    writes: () => ({ added: findDifference(before, groups, keyOf), removed: findDifference(groups, before, keyOf) }),
  };

  function setPrevious(item: Item) {
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

type ItemsByGroup<Item> = ReadonlyMap<string, Items<Item>>;

/** The groups of each key. Built on first use: few changes need it, and a group may have 100,000 members. */
function createReverseIndex(groups: ItemsByGroup<unknown>, journal: Journal) {
  /** A set only for a key that is in several groups: most are in one. */
  let index: Map<string, string | Set<string>> | undefined;
  journal.onRollBack(() => (index = undefined));

  function add(key: string, group: string) {
    const there = index?.get(key);
    if (there === undefined) index?.set(key, group);
    else if (typeof there !== 'string') there.add(group);
    else if (there !== group) index?.set(key, new Set([there, group]));
  }
  function groupsOf(key: string): string | Set<string> | undefined {
    if (!index) {
      index = new Map();
      for (const [group, items] of groups) for (const one of items.keys()) add(one, group);
    }
    return index.get(key);
  }
  return {
    isKnown: () => index !== undefined,
    add,
    remove(key: string, group: string) {
      const there = index?.get(key);
      if (there === group) index?.delete(key);
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

/** The items of `there` that are not in `here`. */
function findDifference<Item>(here: ItemsByGroup<Item>, there: ItemsByGroup<Item>, keyOf: (item: Item) => string): Item[] {
  const difference: Item[] = [];
  for (const [group, items] of there) {
    const others = here.get(group);
    if (others === items) continue;
    const isThere = createMembershipTest(items, others, keyOf);
    for (const item of items.values()) if (!isThere(keyOf(item))) difference.push(item);
  }
  return difference;
}

/** Tests whether an item is among `others`. If there are many more of them, one pass is cheaper than building their map. */
function createMembershipTest<Item>(
  items: Items<Item>,
  others: Items<Item> | undefined,
  keyOf: (item: Item) => string,
): (key: string) => boolean {
  if (!others || others.size === 0) return () => false;
  if (items.size * 8 > others.size) return (key) => others.has(key);
  const found = new Set<string>();
  for (const other of others.values()) if (items.has(keyOf(other))) found.add(keyOf(other));
  return (key) => found.has(key);
}
