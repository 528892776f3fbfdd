import type { Membership, ParkedMember } from './snapshot.ts';

/** A working copy of who is in which group, as far as it was read, and of who is waited for. */
export interface Memberships {
  get(groupId: string, memberId: string): Membership | undefined;
  of(groupId: string): Membership[];
  groupsOf(memberId: string): string[];
  add(membership: Membership): void;
  remove(groupId: string, memberId: string): void;
  parkedIn(groupId: string): ParkedMember[];
  isParked(groupId: string, valueKey: string): boolean;
  /** Who is waited for by one of these keys, in any group. */
  parkedAs(valueKeys: string[]): ParkedMember[];
  park(member: ParkedMember): void;
  unpark(groupId: string, valueKey: string): void;
  writes(): { memberships: { added: Membership[]; removed: Membership[] }; parked: { added: ParkedMember[]; removed: ParkedMember[] } };
}

export function createMemberships(stored: Membership[], storedParked: ParkedMember[]): Memberships {
  const members = createPairs(
    stored,
    ({ groupId }) => groupId,
    ({ memberId }) => memberId,
  );
  const parked = createPairs(
    storedParked,
    ({ groupId }) => groupId,
    ({ valueKey }) => valueKey,
  );
  return {
    get: members.get,
    of: members.of,
    groupsOf: members.groupsWith,
    add: members.set,
    remove: members.remove,
    parkedIn: parked.of,
    isParked: (groupId, valueKey) => parked.get(groupId, valueKey) !== undefined,
    parkedAs: (valueKeys) => valueKeys.flatMap((key) => parked.groupsWith(key).flatMap((groupId) => parked.get(groupId, key) ?? [])),
    park: parked.set,
    unpark: parked.remove,
    writes: () => ({ memberships: members.writes(), parked: parked.writes() }),
  };
}

/** Items by group and key, in the order in which they came. What was there, left and came back is as if it had never left. */
function createPairs<Item>(stored: Item[], groupOf: (item: Item) => string, keyOf: (item: Item) => string) {
  const before = index(stored, groupOf, keyOf);
  const groups = index(stored, groupOf, keyOf);
  const groupsByKey = new Map<string, Set<string>>();
  for (const item of stored) getOrAdd(groupsByKey, keyOf(item), () => new Set<string>()).add(groupOf(item));
  const get = (group: string, key: string) => groups.get(group)?.get(key);
  return {
    get,
    of: (group: string) => [...(groups.get(group)?.values() ?? [])],
    groupsWith: (key: string) => [...(groupsByKey.get(key) ?? [])],
    set(item: Item) {
      const [group, key] = [groupOf(item), keyOf(item)];
      getOrAdd(groups, group, () => new Map<string, Item>()).set(key, before.get(group)?.get(key) ?? item);
      getOrAdd(groupsByKey, key, () => new Set<string>()).add(group);
    },
    remove(group: string, key: string) {
      groups.get(group)?.delete(key);
      groupsByKey.get(key)?.delete(group);
    },
    writes: () => ({ added: missingIn(before, groups), removed: missingIn(groups, before) }),
  };
}

type Pairs<Item> = Map<string, Map<string, Item>>;

function index<Item>(items: Item[], groupOf: (item: Item) => string, keyOf: (item: Item) => string): Pairs<Item> {
  const groups: Pairs<Item> = new Map();
  for (const item of items) getOrAdd(groups, groupOf(item), () => new Map<string, Item>()).set(keyOf(item), item);
  return groups;
}

function missingIn<Item>(here: Pairs<Item>, there: Pairs<Item>): Item[] {
  return [...there].flatMap(([group, items]) => [...items].filter(([key]) => !here.get(group)?.has(key)).map(([, item]) => item));
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
