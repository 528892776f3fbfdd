import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../../support/google/fake-google.ts';
import { createGoogleGroup, createGoogleUser } from '../../support/google/google-data.ts';
import type { FakeResponse } from '../../support/google/google-errors.ts';
import { never, openGoogle } from '../../support/google/open-google.ts';

let google: FakeGoogle;
beforeEach(async () => {
  google = await startFakeGoogle();
});
afterEach(async () => google.stop());

const user = createGoogleUser();
const page = (name: string, list: unknown, more: object = {}) => ({ kind: `admin#directory#${name}`, [name]: list, ...more });
const documents = (place: string) => expect.stringContaining(` ${place} `) as unknown as string;
const noObject = expect.stringContaining('JSON object') as unknown as string;
const tooDeep = expect.stringContaining('too deeply') as unknown as string;

describe('a response that cannot be read', () => {
  it.each<[string, 'users' | 'groups' | 'members', FakeResponse['body'], string]>([
    ['HTML', 'users', '<h1>Welcome</h1>', noObject],
    ['nothing', 'users', '', noObject],
    ['half of JSON', 'users', '{"kind":"admin#directory#users","users":[', noObject],
    ['a list', 'users', [], noObject],
    ['null', 'users', 'null', noObject],
    ['another kind of response', 'users', page('groups', []), documents('kind')],
    ['no kind of response', 'users', { users: [] }, documents('kind')],
    ['users that are not a list', 'users', page('users', { 0: user }), documents('users')],
    ['null for users', 'users', page('users', null), documents('users')],
    ['a token that is not text', 'users', page('users', [], { nextPageToken: 7 }), documents('nextPageToken')],
    ['a user that is not an object', 'users', page('users', [user, 'secret']), documents('users[1]')],
    ['a user without an id', 'users', page('users', [{ ...user, id: undefined }]), documents('users[0].id')],
    ['a user with a number for an id', 'users', page('users', [{ ...user, id: 7 }]), documents('users[0].id')],
    ['a user with an empty id', 'users', page('users', [{ ...user, id: '\0' }]), documents('users[0].id')],
    [
      'a user without an address',
      'users',
      page('users', [user, user, user, { ...user, primaryEmail: ' ' }]),
      documents('users[3].primaryEmail'),
    ],
    ['a user without a name', 'users', page('users', [{ ...user, name: undefined }]), documents('users[0].name')],
    ['a name that is not text', 'users', page('users', [{ ...user, name: { fullName: {} } }]), documents('users[0].name.fullName')],
    ['a boolean that is a string', 'users', page('users', [{ ...user, suspended: 'no' }]), documents('users[0].suspended')],
    ['an address that is not an object', 'users', page('users', [{ ...user, emails: ['secret'] }]), documents('users[0].emails[0]')],
    ['a deeply nested user', 'users', nest(100), tooDeep],
    ['a user that is nested deeper than the stack', 'users', nest(100_000), tooDeep],
    ['groups that are not a list', 'groups', page('groups', 'secret'), documents('groups')],
    ['a group without an address', 'groups', page('groups', [createGoogleGroup({ email: '' })]), documents('groups[0].email')],
    ['a group without an id', 'groups', page('groups', [{ ...createGoogleGroup(), id: null }]), documents('groups[0].id')],
    ['members of another kind', 'members', page('users', []), documents('kind')],
    ['a type that is not text', 'members', page('members', [{ id: '1', type: 7 }]), documents('members[0].type')],
  ])('rejects %s', async (_, kind, body, message) => {
    google.failNext(kind, { body: body! });
    const source = openGoogle(google);
    const request = { signal: never };
    const listed = { users: source.listUsers, groups: source.listGroups, members: () => source.listMembers('a', request) }[kind](request);
    await expect(listed).rejects.toMatchObject({ name: 'ProviderError', kind: 'invalid_response', message });
  });

  it.each([
    ['as it is', (bytes: Buffer) => ({ body: bytes })],
    ['packed', (bytes: Buffer) => ({ body: gzipSync(bytes), headers: { 'content-encoding': 'gzip' } })],
    ['with its length kept secret', (bytes: Buffer) => ({ body: bytes, headers: { 'transfer-encoding': 'chunked' } })],
  ])('rejects more than 8 MiB for one user, %s', async (_, wrap) => {
    google.failNext('users', wrap(Buffer.alloc(9 * 1024 * 1024, ' ')), 4);
    await expect(openGoogle(google).listUsers({ signal: never })).rejects.toMatchObject({ kind: 'invalid_response' });
  });
});

it('reads compressed responses', async () => {
  google.failNext('users', { body: gzipSync(JSON.stringify(page('users', [user]))), headers: { 'content-encoding': 'gzip' } });
  expect(await openGoogle(google).listUsers({ signal: never })).toMatchObject({ listed: 1, items: [{ externalId: user.id }] });
});

function nest(depth: number): string {
  const notes = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  return JSON.stringify(page('users', [{ ...user, notes: 0 }])).replace('"notes":0', () => `"notes":${notes}`);
}
