import fc from 'fast-check';
import type { Mutation } from '../../src/directory/changes/mutation.ts';
import { collectReadSet } from '../../src/directory/changes/read-set.ts';
import type { Snapshot } from '../../src/directory/changes/snapshot.ts';
import type { ReadSnapshot } from '../../src/store/changes/read-snapshot.ts';
import type { JsonObject } from '../../src/scim/json.ts';
import { newId } from '../../src/ids.ts';
import { foldCase } from '../../src/scim/text.ts';
import { bulkRequest, snapshotOf, storedGroup, storedUser } from './decide.ts';

/** Small requests that are hostile by their shape: many variations, as deep, wide and long as possible. */

export const maxRequestBytes = 65_536;
const times = <Value>(count: number, make: (index: number) => Value) => Array.from({ length: count }, (_, index) => make(index));

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
const users = Object.fromEntries(Object.entries(largeResources).map(([kind, make]) => [kind, storedUser(make())]));
const createManyUsers = times(10, () => storedUser(largeResources['emails']!()));
const group = storedGroup({ x: times(9_000, (index) => ({ a: index })) });
const memberIds = times(100_000, () => newId());
const full = storedGroup();
/** Its members have long names, and a filter reads them all. */
const shown = storedGroup();
/** It has many pending members. */
const waiting = storedGroup();
const groupsOfMany = times(5_000, (index) => storedGroup({ description: `Group ${index}` }));
const joined = storedUser();

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
  const { memberCounts, groupCounts } = snapshot;
  return { ...snapshot, revision: 1, eventBytes: 0, bytes: 0, memberCounts: new Map(memberCounts), groupCounts: new Map(groupCounts) };
}

const names = ['emails', 'x', 'name1', 'name', 'title', 'roles', 'urn:example:2.0:User', 'urn:example:2.0:User:x', 'manager', 'new'];
const subs = ['value', 'type', 'display', 'primary', 'a', 'name1', 'zzz'];
const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'le'];

const literal = fc.oneof(
  fc.constantFrom('"a"', '"work"', 'true', '1', 'null', '"b@c"'),
  fc.integer({ min: 10, max: 3_000 }).map((length) => `"${'a'.repeat(length / 2)}b${'a'.repeat(length / 2)}"`),
  fc.integer({ min: 10, max: 2_000 }).map((length) => `"${'\u0316\u0301'.repeat(length / 2)}"`),
);
const term = fc
  .tuple(fc.constantFrom(...subs), fc.constantFrom(...operators), literal)
  .map(([sub, operator, value]) =>
    (value === 'null' || value === 'true') && operator !== 'eq' && operator !== 'ne' ? `${sub} eq ${value}` : `${sub} ${operator} ${value}`,
  );
const manyTerms = fc
  .tuple(fc.array(term, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 100 }), fc.constantFrom(' or ', ' and '))
  .map(([terms, count, joint]) => {
    let text = '';
    for (let index = 0; index < count; index += 1) {
      const next = `${text === '' ? '' : text + joint}${terms[index % terms.length]}`;
      if (next.length > 7_500) break;
      text = next;
    }
    return text;
  });
const elementFilter = fc.oneof(
  manyTerms,
  manyTerms.map((inner) => (inner.length < 7_000 ? `${'not ('.repeat(15)}${inner}${')'.repeat(15)}` : inner)),
);
const path = fc.oneof(
  fc.constantFrom(...names),
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...subs)).map((parts) => parts.join('.')),
  fc.tuple(fc.constantFrom('emails', 'x', 'roles'), elementFilter).map(([name, inner]) => `${name}[${inner}]`),
  fc
    .tuple(fc.constantFrom('emails', 'x', 'roles'), elementFilter, fc.constantFrom(...subs))
    .map(([name, inner, sub]) => `${name}[${inner}].${sub}`),
);
const wide = fc.integer({ min: 1, max: 2_000 });
const namesOfObject = fc.integer({ min: 1, max: 4_500 }).map((count) => Object.fromEntries(times(count, (index) => [`n${index}`, 1])));
const value = fc.oneof(
  fc.constantFrom<unknown>(null, true, 1, 'x', '', {}, [], { value: 'x' }, [{ value: 'x', primary: true }]),
  wide.map((count) => times(count, (index) => ({ value: `v${index}` }))),
  wide.map((count) => times(count, () => ({}))),
  wide.map((count) => times(count, () => ({ a: 1 }))),
  namesOfObject,
  namesOfObject.map((object) => [object]),
  namesOfObject.map((object) => [{ a: object }]),
  namesOfObject.map((object) => [{ value: object }]),
  wide.map((count) => ({ value: 'y'.repeat(count * 10) })),
  fc.integer({ min: 1, max: 30 }).map((depth) => times(depth, () => 0).reduce<unknown>((inner) => [inner], 'deep')),
);
const trimmed = (object: JsonObject): JsonObject => {
  let bytes = 100;
  return Object.fromEntries(Object.entries(object).filter((entry) => (bytes += JSON.stringify(entry).length) < maxRequestBytes));
};
/** Paths as names, in a body or in the value of an operation without a path. */
const manyPaths = fc
  .tuple(fc.constantFrom('emails', 'x', 'roles', 'urn:example:2.0:User:x'), term, fc.constantFrom(...subs))
  .map(([name, inner, sub]) => Object.fromEntries(times(990, (index) => [`${name}[type eq "${index}" and ${inner}].${sub}`, `${index}`])));
/** Pending in 5,000 groups. */
const arrivals = fc.constantFrom(
  { op: 'replace', path: 'userName', value: 'late' },
  { op: 'replace', path: 'externalId', value: 'late' },
  { op: 'replace', path: 'displayName', value: 'name #' },
);
const oneOperation = fc
  .record({ op: fc.constantFrom('add', 'replace', 'remove'), path, value })
  .map((one) => (one.op === 'remove' && !Array.isArray(one.value) ? { op: one.op, path: one.path } : one));
const operation = fc.oneof(
  { weight: 12, arbitrary: oneOperation },
  { weight: 1, arbitrary: arrivals },
  { weight: 1, arbitrary: manyPaths.map((paths) => ({ op: 'add', value: trimmed(paths) })) },
);

/** As many variations as the size allows. Each of them replaces `#` in a text with another number. */
function fill(parts: unknown[], wrap: (all: unknown[]) => unknown, { max = 1_000 } = {}): unknown {
  const all: unknown[] = [];
  let bytes = JSON.stringify(wrap([])).length;
  for (let index = 0; index < max; index += 1) {
    const next = JSON.stringify(parts[index % parts.length]);
    bytes += next.length + 1;
    if (bytes > maxRequestBytes) break;
    all.push(JSON.parse(next.replaceAll('#', String(index))) as unknown);
  }
  return wrap(all);
}

const targets = fc.constantFrom(...Object.values(users), joined);
const operations = fc.array(operation, { minLength: 1, maxLength: 3 });

export interface CostlyRequest {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'BULK';
  resourceType: 'User' | 'Group';
  resourceId: string;
  body: unknown;
}

export const patches: fc.Arbitrary<CostlyRequest> = fc
  .tuple(targets, operations, fc.integer({ min: 1, max: 1_000 }))
  .map(([{ id }, parts, max]) => ({
    method: 'PATCH',
    resourceType: 'User',
    resourceId: id,
    body: fill(parts, (Operations) => ({ Operations }), { max }),
  }));

const memberOperation = fc.oneof(
  fc.constantFrom(
    { op: 'replace', path: 'members', value: [] },
    { op: 'remove', path: 'members' },
    { op: 'add', path: 'members', value: [{ value: 'nobody-#' }] },
    { op: 'add', path: 'members', value: [{ value: memberIds[3], display: 'x'.repeat(500) }] },
    { op: 'remove', path: 'members', value: [{ value: memberIds[5] }] },
    { op: 'replace', path: 'displayName', value: 'name #' },
    { op: 'replace', path: 'externalId', value: 'late' },
    { op: 'add', path: 'members', value: [{ value: joined.id }] },
    { op: 'add', path: 'x', value: [{ a: '#' }] },
  ),
  manyTerms.map((inner) => ({ op: 'remove', path: `members[${inner}]` })),
  wide.map((count) => ({ op: 'replace', path: 'members', value: times(Math.min(count, 1_200), (index) => ({ value: memberIds[index] })) })),
);
export const groupPatches: fc.Arbitrary<CostlyRequest> = fc
  .tuple(
    fc.constantFrom(group, full, shown, waiting),
    fc.array(memberOperation, { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 1_000 }),
  )
  .map(([{ id }, parts, max]) => ({
    method: 'PATCH',
    resourceType: 'Group',
    resourceId: id,
    body: fill(parts, (Operations) => ({ Operations }), { max }),
  }));

const resourceBody = fc.oneof(
  manyPaths.map(trimmed),
  fc.dictionary(path, value, { maxKeys: 5 }).map(trimmed),
  wide.map((count) => trimmed(Object.fromEntries(times(count, (index) => [`urn:example:${index}:User:x`, { y: index }])))),
  wide.map((count) => ({ emails: times(count, (index) => ({ value: `${index}@x`, primary: true })) })),
  wide.map((count) => ({ members: times(Math.min(count, 1_000), (index) => ({ value: memberIds[index] })) })),
);
export const replacements: fc.Arbitrary<CostlyRequest> = fc
  .tuple(targets, resourceBody, fc.constantFrom('POST' as const, 'PUT' as const), fc.boolean())
  .map(([{ id }, body, method, isGroup]) => ({
    method,
    resourceType: isGroup ? 'Group' : 'User',
    resourceId: isGroup ? full.id : id,
    body: { ...body, userName: 'late', displayName: 'late' },
  }));

const bulkPart = fc.oneof(
  fc.tuple(targets, operations).map(([{ id }, Operations]) => ({ method: 'PATCH', path: `/Users/${id}`, data: { Operations } })),
  fc
    .tuple(fc.constantFrom(...createManyUsers), operations)
    .map(([{ id }, Operations]) => ({ method: 'PATCH', path: `/Users/${id}`, data: { Operations } })),
  fc
    .tuple(fc.constantFrom(group, full, shown, waiting), fc.array(memberOperation, { minLength: 1, maxLength: 2 }))
    .map(([{ id }, Operations]) => ({ method: 'PATCH', path: `/Groups/${id}`, data: { Operations } })),
  fc.constantFrom<object>(
    { method: 'DELETE', path: `/Users/${joined.id}` },
    { method: 'DELETE', path: `/Groups/${full.id}` },
    { method: 'DELETE', path: `/Groups/${waiting.id}` },
    { method: 'DELETE', path: '/Users/bulkId:u0' },
    { method: 'DELETE', path: `/Users/${joined.id}`, version: 'W/"7"' },
    { method: 'POST', path: '/Groups', bulkId: 'c#', data: { displayName: 'c#', externalId: 'late', members: [{ value: 'bulkId:c0' }] } },
    {
      method: 'PATCH',
      path: `/Groups/${full.id}`,
      data: { Operations: [{ op: 'remove', path: 'members[value eq "bulkId:u0" or value eq "bulkId:u#"]' }] },
    },
    { method: 'POST', path: '/Users', bulkId: 'u#', data: { userName: 'late' } },
    { method: 'POST', path: '/Users', bulkId: 'v#', data: { userName: 'u#', externalId: 'late#' } },
    { method: 'PUT', path: `/Users/${joined.id}`, data: { userName: 'late', emails: [{ value: 'a@b#' }] } },
    { method: 'PUT', path: `/Groups/${full.id}`, data: { displayName: 'g#', members: [] } },
    { method: 'PUT', path: `/Groups/${full.id}`, data: { displayName: 'g#', members: [{ value: 'bulkId:u0' }] } },
    {
      method: 'POST',
      path: '/Groups',
      bulkId: 'g#',
      data: { displayName: 'g#', members: times(100, (index) => ({ value: `bulkId:g${index}` })) },
    },
  ),
);
export const bulks: fc.Arbitrary<CostlyRequest> = fc
  .tuple(fc.array(bulkPart, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 1_000 }))
  .map(([parts, max]) => ({
    method: 'BULK',
    resourceType: 'User',
    resourceId: newId(),
    body: fill(parts, (all) => bulkRequest(all as object[]), { max }),
  }));

export const filters = fc.oneof(
  elementFilter,
  fc.tuple(fc.constantFrom('emails', 'x'), elementFilter).map(([name, inner]) => `${name}[${inner}]`.slice(0, 8_000)),
  fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom(...names.slice(0, 6), 'userName', 'emails.value'), fc.constantFrom(...operators), literal), {
        minLength: 1,
        maxLength: 4,
      }),
    )
    .map(([terms]) =>
      times(100, (index) => terms[index % terms.length]!.join(' ')).reduce((all, one) =>
        all.length + one.length < 7_900 ? `${all} or ${one}` : all,
      ),
    ),
);
export const filtered = Object.values(users);

/** The parameters of a search beside its filter: thousands of attribute names. */
const nameList = fc
  .tuple(fc.array(fc.oneof(path, fc.constantFrom(...names)), { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 30_000 }))
  .map(([some, count]) => {
    const all: string[] = [];
    let bytes = 0;
    for (let index = 0; index < count; index += 1) {
      const name = index % 2 === 0 ? some[(index / 2) % some.length]! : `n${index}.s${index}`;
      bytes += name.length + 3;
      if (bytes > maxRequestBytes - 10_000) break;
      all.push(name);
    }
    return all;
  });
export const searches: fc.Arbitrary<object> = fc.record(
  {
    filter: filters,
    sortBy: fc.oneof(fc.constantFrom(...names, 'emails.value', 'meta.lastModified'), path),
    sortOrder: fc.constantFrom('ascending', 'descending'),
    attributes: fc.oneof(
      nameList,
      nameList.map((all) => [all.join(',')]),
    ),
    excludedAttributes: nameList,
  },
  { requiredKeys: [] },
);
