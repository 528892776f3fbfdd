import { expect, it } from '@jest/globals';
import { findUnknownAttributes } from '../../../src/directory/recorded-requests/find-unknown-attributes.ts';
import type { RecordedRequest } from '../../../src/directory/recorded-requests/recorded-request.ts';

const record = (method: string, path: string, body: unknown): RecordedRequest => ({
  directoryId: 'd',
  id: 'r',
  at: new Date(0),
  method,
  path,
  status: 200,
  scimType: undefined,
  detail: undefined,
  durationMs: 1,
  requestId: 'r',
  userAgent: '',
  contentType: 'application/scim+json',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  bodyState: 'complete',
  bodyBytes: undefined,
});
const find = (...args: Parameters<typeof record>) =>
  findUnknownAttributes(record(...args)).map(({ name, suggestion }) => (suggestion === undefined ? name : `${name} → ${suggestion}`));
const patch = (...Operations: unknown[]) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

it.each<[string, string, string, unknown, string[]]>([
  ['a misspelled attribute', 'POST', '/Users', { userName: 'a', actve: false }, ['actve → active']],
  ['one of a PUT, with a query', 'PUT', '/Users/0b9f?attributes=id', { userName: 'a', dispalyName: 'A' }, ['dispalyName → displayName']],
  ['a misspelled sub-attribute', 'POST', '/Users', { name: { givnName: 'A' } }, ['name.givnName → givenName']],
  ['one in a list', 'POST', '/Users', { emails: [{ value: 'a' }, { valu: 'b' }] }, ['emails.valu → value']],
  ['a dotted name', 'POST', '/Users', { 'name.givnName': 'A' }, ['name.givnName → givenName']],
  ['one of an extension', 'POST', '/Users', { [enterprise]: { departmnt: 'A' } }, [`${enterprise}:departmnt → department`]],
  ['an attribute that resembles none', 'POST', '/Users', { favoriteColor: 'red' }, ['favoriteColor']],
  ['a group', 'POST', '/Groups', { displayNam: 'A' }, ['displayNam → displayName']],
  ['a path', 'PATCH', '/Users/0b9f', patch({ op: 'replace', path: 'actve', value: false }), ['actve → active']],
  ['a value without a path', 'PATCH', '/Users/0b9f', patch({ op: 'replace', value: { actve: false } }), ['actve → active']],
  [
    'a path with a filter',
    'PATCH',
    '/Users/0b9f',
    patch({ op: 'add', path: 'emails[type eq "work"].valu', value: 'a' }),
    ['emails.valu → value'],
  ],
  ['one that occurs twice', 'PATCH', '/Users/0b9f', patch({ op: 'add', path: 'x', value: 1 }, { op: 'remove', path: 'x' }), ['x']],
])('finds %s', (_, method, path, body, expected) => {
  expect(find(method, path, body)).toEqual(expected);
});

it.each<[string, string, string, unknown]>([
  ['a usual user', 'POST', '/Users', { schemas: [], userName: 'a', ACTIVE: true, groups: [], meta: {}, id: '1', password: '[removed]' }],
  ['a bare attribute of the extension', 'POST', '/Users', { userName: 'a', department: 'A' }],
  ['an unknown schema', 'POST', '/Users', { userName: 'a', 'urn:acme:User': { actve: 1 }, 'urn:acme:User:actve': 1 }],
  [
    'members',
    'PATCH',
    '/Groups/0b9f',
    patch({ op: 'add', path: 'members', value: [{ value: '1', $ref: 'x', display: 'A', type: 'User' }] }),
  ],
  [
    'members as Salesforce sends them',
    'PATCH',
    '/Groups/0b9f',
    patch({ op: 'remove', path: 'members', value: { members: [{ value: '1' }] } }),
  ],
  ['a search', 'POST', '/Users/.search', { filtr: 'a' }],
  ['Bulk', 'POST', '/Bulk', { Operations: [{ method: 'POST', path: '/Users', data: { actve: false } }] }],
  ['a deletion', 'DELETE', '/Users/0b9f', ''],
  ['invalid JSON', 'POST', '/Users', '{'],
  ['no object', 'POST', '/Users', '[1]'],
  ['an invalid path', 'PATCH', '/Users/0b9f', patch({ op: 'add', path: 'emails[', value: 'a' })],
  ['no operations', 'PATCH', '/Users/0b9f', {}],
])('finds nothing in %s', (_, method, path, body) => {
  expect(find(method, path, body)).toEqual([]);
});

const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown${index}`, 1]));

it('reports ten at most, and does not search large or incomplete bodies', () => {
  expect(find('POST', '/Users', names(50))).toHaveLength(10);
  expect(find('POST', '/Users', names(500))).toEqual([]);
  expect(find('PATCH', '/Users/1', patch(...Array.from({ length: 300 }, () => ({ op: 'add', path: 'x', value: 1 }))))).toEqual([]);
  expect(findUnknownAttributes({ ...record('POST', '/Users', { actve: false }), bodyState: 'truncated' })).toEqual([]);
});

it('reports names as valid Unicode', () => {
  expect(find('POST', '/Users', String.raw`{"\ud800":1,"${'a'.repeat(499)}\ud83d\ude00":2}`)).toEqual([
    '\ufffd',
    `${'a'.repeat(499)}\ufffd`,
  ]);
});
