import type { Mutation } from '../../../src/directory/changes/mutation.ts';
import { collectReadSet } from '../../../src/directory/changes/read-set.ts';
import type { Snapshot } from '../../../src/directory/changes/snapshot.ts';
import { newId } from '../../../src/ids.ts';
import type { JsonObject } from '../../../src/scim/json.ts';
import { foldCase } from '../../../src/scim/text.ts';
import type { ReadSnapshot } from '../../../src/store/changes/read-snapshot.ts';
import { snapshotOf, storedGroup, storedUser } from '../decide.ts';
import { times } from './values.ts';

/** The largest possible users, each in another way. */
const largeResources: Record<string, () => JsonObject> = {
  emails: () => ({ emails: times(4_900, (index) => ({ value: `user${index}@example.com`, type: 'work', display: `User ${index}` })) }),
  'e-mails of one value': () => ({ emails: times(4_900, (index) => ({ value: 'a@b', type: `${index}`, display: 'x' })) }),
  'unknown objects': () => ({ x: times(19_900, () => ({})) }),
  'unknown objects without value': () => ({ x: times(6_600, (index) => ({ a: index, b: 'y' })) }),
  'many names': () => Object.fromEntries(times(19_900, (index) => [`name${index}`, index])),
  'many names in a value': () => ({ x: [Object.fromEntries(times(19_900, (index) => [`name${index}`, index]))] }),
  'an object of many names': () => ({ x: Object.fromEntries(times(9_000, (index) => [`name${index}`, index])) }),
  'long text': () => ({ x: times(3, () => ({ value: 'a'.repeat(262_144), display: 'a'.repeat(80_000) })) }),
  'long text with accents': () => ({ x: times(2, () => ({ value: 'e\u0301'.repeat(131_072) })) }),
  'control characters': () => ({ title: '\u0001'.repeat(160_000) }),
  'many long texts with accents': () => ({
    emails: times(1_200, (index) => ({ value: `user${index}@example.com`, type: 'work', display: 'e\u0301'.repeat(200) })),
  }),
  'many extensions': () => Object.fromEntries(times(9_900, (index) => [`urn:example:${index}:User`, { y: index }])),
  'values of many names': () => ({ x: times(60, () => Object.fromEntries(times(300, (index) => [`name${index}`, index]))) }),
  'deep values': () => ({ x: times(300, () => times(58, () => 0).reduce<unknown>((inner) => [inner], 'deep')) }),
  'lists in lists': () => ({ x: times(140, () => times(140, (index) => index)) }),
  'an extension': () => ({ 'urn:example:2.0:User': { x: times(19_900, (index) => index) } }),
  'a known extension': () => ({
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': Object.fromEntries(times(19_900, (index) => [`name${index}`, index])),
  }),
};
export const users = Object.fromEntries(Object.entries(largeResources).map(([kind, make]) => [kind, storedUser(make())]));
export const createManyUsers = times(10, () => storedUser(largeResources['emails']!()));
export const group = storedGroup({ x: times(9_000, (index) => ({ a: index })) });
export const memberIds = times(100_000, () => newId());
export const full = storedGroup();
/** Its members have long names, and a filter reads them all. */
export const shown = storedGroup();
/** It has many pending members. */
export const waiting = storedGroup();
const groupsOfMany = times(5_000, (index) => storedGroup({ description: `Group ${index}` }));
export const joined = storedUser();

/** The stored resources. Each request names the one that it changes. */
const held: Partial<Snapshot> = {
  users: [...Object.values(users), ...createManyUsers, joined],
  groups: [group, full, shown, waiting, ...groupsOfMany],
  userNames: times(1_000, (index) => ({ id: memberIds[index]!, userNameKey: `member${index}`, externalId: `e${index}` })),
  memberships: [
    ...memberIds.map((memberId, index) => ({ groupId: full.id, memberId, kind: 'user' as const, display: `Member ${index}` })),
    ...memberIds.slice(0, 40_000).map((memberId, index) => ({
      groupId: shown.id,
      memberId,
      kind: 'user' as const,
      display: `${'e\u0301'.repeat(100)}${index}`,
    })),
    ...groupsOfMany.map(({ id: groupId }) => ({ groupId, memberId: joined.id, kind: 'user' as const, display: null })),
  ],
  pendingMembers: [
    ...groupsOfMany.map(({ id: groupId }) => ({ groupId, value: 'late', valueKey: 'late', display: null })),
    ...times(50_000, (index) => ({ groupId: waiting.id, value: `Somebody ${index}`, valueKey: `somebody ${index}`, display: null })),
  ],
};

/** Reads for these mutations like a store, and returns new objects each time. */
export function readSnapshot(mutations: Mutation[]): ReadSnapshot {
  const { userIds, groupIds, allMembersOf, leaving, arriving, memberValues } = collectReadSet(mutations);
  const memberKeys = new Set([...memberValues].map(foldCase));
  const memberships = held.memberships!.filter(
    ({ groupId, memberId }) => allMembersOf.has(groupId) || leaving.has(memberId) || memberValues.has(memberId),
  );
  const pendingMembers = held.pendingMembers!.filter(
    ({ groupId, valueKey }) => allMembersOf.has(groupId) || arriving.has(valueKey) || memberKeys.has(valueKey),
  );
  const touched = new Set([...groupIds, ...memberships.map(({ groupId }) => groupId), ...pendingMembers.map(({ groupId }) => groupId)]);
  const snapshot = snapshotOf({
    users: structuredClone(held.users!.filter(({ id }) => userIds.has(id))),
    groups: held.groups!.filter(({ id }) => touched.has(id)).map((one) => ({ ...one, resource: structuredClone(one.resource) })),
    userNames: held.userNames!.filter(({ id }) => memberValues.has(id)),
    memberships,
    pendingMembers,
  });
  const { memberCounts, groupCounts, rolePlaces } = snapshot;
  return {
    ...snapshot,
    revision: 1,
    eventBytes: 0,
    bytes: 0,
    memberCounts: new Map(memberCounts),
    groupCounts: new Map(groupCounts),
    rolePlaces: new Map(rolePlaces),
  };
}
