import fc from 'fast-check';
import { newId } from '../../../src/ids.ts';
import { bulkRequest } from '../decide.ts';
import { createManyUsers, full, group, joined, memberIds, shown, users, waiting } from './stored-resources.ts';
import { manyTerms, maxRequestBytes, path, subs, term, times, trimmed, value, wide } from './values.ts';

/** Small changes that are hostile by their shape, in many variations. */

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
