import { expect, it } from '@jest/globals';
import {
  findInAddress,
  findInBody,
  findInBulk,
  findInFilter,
  findMovedInBulk,
  maxConcernedUsers,
  withMoved,
} from '../../../src/directory/recorded-requests/concerned-users.ts';
import { findSubjects } from '../../../src/directory/recorded-requests/find-subjects.ts';
import { toResourceKey } from '../../../src/directory/resources/resource-ids.ts';
import { subjectOf, toUserRequests } from '../../../src/directory/recorded-requests/user-requests.ts';

const root = '/rollcall/api/scim/v2.0/4711';
const own = (...ids: string[]) => ({ ids, names: [], isShared: false });
const shared = (...ids: string[]) => ({ ids, names: [], isShared: true });

it.each([
  ['/Users/ada', own('ada')],
  ['/users/a%40b?attributes=userName', own('a@b')],
  ['/Users/%E0%A4', own('%E0%A4')],
  ['/Users/.search', undefined],
  ['/Users?count=1', undefined],
  ['/Groups/4711', undefined],
  [`/Users?filter=${encodeURIComponent('userName eq "ada@acme.example"')}`, own('ada@acme.example')],
  [`/Users?filter=${encodeURIComponent('urn:ietf:params:scim:schemas:core:2.0:User:externalId EQ "a\\"b"')}`, own('a"b')],
  [`/Users?filter=${encodeURIComponent('userName eq "ada" or id eq "bob"')}`, shared('ada', 'bob')],
  [`/Groups/1?filter=${encodeURIComponent('members.value eq "ada"')}`, own('ada')],
  [`/Users?filter=${encodeURIComponent('title eq "ada"')}`, undefined],
])('finds whom an address concerns: %s', (path, expected) => {
  expect(findInAddress(`${root}${path}`)).toEqual(expected);
});

it('reads a limited number of values of a filter', () => {
  expect(findInFilter(Array.from({ length: 20 }, (_, index) => `id eq "${index}"`).join(' or '))?.ids).toHaveLength(5);
  expect(findInFilter(`userName eq "${'x'.repeat(2_000)}"`)).toBeUndefined();
});

const patch = (...operations: unknown[]) => ({ Operations: operations });

it.each([
  ['a user', 'User', 'POST', { USERNAME: 'ada', externalId: '7', emails: [{ value: 'a@b' }] }, { ...own(), names: ['ada', '7', 'a@b'] }],
  ['a changed user', 'User', 'PUT', { userName: 'ada' }, undefined],
  ['a group', 'Group', 'POST', { members: [{ value: 'ada' }, { Value: 'bob' }] }, shared('ada', 'bob')],
  ['no group', 'Group', 'POST', { displayName: 'x' }, undefined],
  ['a list', 'Group', 'PATCH', patch({ op: 'add', path: 'members', value: [{ value: 'ada' }] }), own('ada')],
  ['one value', 'Group', 'PATCH', patch({ op: 'add', path: 'members', value: { value: 'ada' } }), own('ada')],
  ['a filter', 'Group', 'PATCH', patch({ op: 'remove', path: 'members[value eq "ada"]' }), own('ada')],
  ['several values', 'Group', 'PATCH', patch({ op: 'remove', path: 'members[value eq "ada" or value EQ "bob"]' }), shared('ada', 'bob')],
  ['no path', 'Group', 'PATCH', patch({ op: 'add', value: { members: [{ value: 'ada' }] } }), own('ada')],
  ['others', 'Group', 'PATCH', patch({ op: 'replace', path: 'displayName', value: 'members' }, 7, null), undefined],
  ['two steps', 'Group', 'PATCH', patch({ op: 'replace', path: 'displayName' }, { path: 'members', value: ['ada'] }), shared('ada')],
  ['no object', 'Group', 'PATCH', [7], undefined],
] as const)('finds whom a body concerns: %s', (_, type, method, body, expected) => {
  expect(findInBody(type, method, body)).toEqual(expected);
});

it('finds at most 100 members, however many a request has', () => {
  const members = Array.from({ length: 1_000 }, (_, index) => ({ value: String(index) }));
  expect(findInBody('Group', 'POST', { members })?.ids).toHaveLength(maxConcernedUsers);
  const operations = members.map((member) => ({ op: 'add', path: 'members', value: [member] }));
  expect(findInBody('Group', 'PATCH', { Operations: operations })?.ids).toHaveLength(maxConcernedUsers);
  const bulk = members.map(({ value }, index) => ({
    index,
    method: 'DELETE' as const,
    resourceType: 'User' as const,
    resourceId: value,
    isNew: false,
    dependsOn: [],
  }));
  expect(findInBulk(bulk).size).toBe(maxConcernedUsers);
});

it('adds those who joined or left, who come before those who are only named', () => {
  const [ada, bob] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b'];
  expect(withMoved(undefined, [ada])).toEqual(own(ada));
  expect(withMoved(own(bob), [ada, bob])).toEqual(shared(ada, bob));
  expect(withMoved(own(ada.toUpperCase()), [ada])).toEqual(own(ada.toUpperCase()));
  // A user who was imported with an ID of another form is noted under the key that the ID leads to.
  expect(withMoved(own('ada'), [toResourceKey('ada')])).toEqual(own('ada'));
  const many = shared(...Array.from({ length: maxConcernedUsers }, (_, index) => String(index)));
  expect(withMoved(many, [ada])?.ids).toEqual([ada, ...many.ids.slice(0, -1)]);
  expect(findMovedInBulk([own(bob)], [ada, bob])).toEqual(shared(ada));
  expect(findMovedInBulk([own(ada)], [ada])).toBeUndefined();
  expect(findMovedInBulk([many], [ada])).toBeUndefined();
});

it('looks under the key of a user too, because those who joined or left are noted under it', async () => {
  const reader = { listUsers: () => Promise.resolve({ data: [{ id: 'from-elsewhere' }], next: undefined }) };
  const subjects = await findSubjects(reader as unknown as Parameters<typeof findSubjects>[0], 'a', 'ada');
  expect(subjects).toEqual(expect.arrayContaining(['ada', 'from-elsewhere', toResourceKey('from-elsewhere')].map(subjectOf)));
});

const request = {
  directoryId: 'a',
  id: 'b',
  at: new Date(0),
  method: 'POST',
  path: '/Users?filter=x',
  status: 201,
  detail: undefined,
  durationMs: 1,
  requestId: 'c',
};

it('notes names only if a create failed, and the result of an operation in place of that of the request', () => {
  const create = { ids: [], names: ['ada'], isShared: false };
  expect(toUserRequests(request, [create])).toEqual([]);
  expect(toUserRequests({ ...request, status: 400, detail: 'No.' }, [create])).toMatchObject([{ status: 400, detail: 'No.' }]);
  expect(toUserRequests(request, [{ ...create, result: { status: 409, detail: 'Taken.' } }])).toMatchObject([
    { status: 409, detail: 'Taken.', path: '/Users?filter=x' },
  ]);
});

it('notes neither query nor error of a request about several users', () => {
  expect(toUserRequests({ ...request, status: 400, detail: 'No bob.' }, [shared('ada', 'bob', 'ADA')])).toMatchObject([
    { path: '/Users', detail: undefined, isShared: true, subjects: [expect.any(String), expect.any(String)] },
  ]);
});
