import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../../support/google/fake-google.ts';
import { never, openGoogle, readPages } from '../../support/google/open-google.ts';

let google: FakeGoogle;
let groupId: string;
beforeEach(async () => {
  google = await startFakeGoogle();
  groupId = google.addGroup().id;
});
afterEach(async () => google.stop());

const list = () => openGoogle(google).listMembers(groupId, { signal: never });
const response = (members: unknown) => google.failNext('members', { body: { kind: 'admin#directory#members', members } });

it('requests pages of 200', async () => {
  google.preset({
    groups: google.groups.values(),
    members: [[groupId, Array.from({ length: 450 }, (_, at) => ({ id: `m${at}`, type: 'USER' }))]],
  });
  google.addGroup({ id: groupId });
  const source = openGoogle(google);
  const pages = await readPages((request) => source.listMembers(groupId, request));
  expect(pages.map(({ items }) => items.length)).toEqual([200, 200, 50]);
  expect(google.requests[0]!.path).toBe(`/admin/directory/v1/groups/${groupId}/members`);
  expect(Object.fromEntries(google.requests[0]!.query)).toEqual({ maxResults: '200' });
});

it('returns users and groups', async () => {
  google.addMember(groupId, { id: '100', type: 'USER', email: 'ada@example.com' });
  google.addMember(groupId, { id: '200', type: 'GROUP' });
  expect(await list()).toEqual({ items: [{ externalId: '100' }, { externalId: '200' }], listed: 2 });
});

it('ignores other types, and counts them', async () => {
  response([
    { type: 'CUSTOMER', id: 'C01' },
    { type: 'CUSTOMER' },
    { type: 'EXTERNAL' },
    { type: 'EXTERNAL', id: '7' },
    { type: 'ROBOT' },
    { type: 'USER', id: '100' },
  ]);
  expect(await list()).toEqual({ items: [{ externalId: '100' }], listed: 6 });
});

it.each([['USER'], ['GROUP'], [undefined]])('requires an ID for a member of type %s', async (type) => {
  response([
    { type: 'USER', id: '100' },
    { type, email: 'secret@example.com' },
  ]);
  await expect(list()).rejects.toMatchObject({
    kind: 'invalid_response',
    message: expect.stringContaining('members[1].id'),
  });
});

it('returns a duplicate member once', async () => {
  response([
    { type: 'USER', id: '100' },
    { type: 'USER', id: '100' },
  ]);
  expect(await list()).toEqual({ items: [{ externalId: '100' }], listed: 2 });
});

it('is empty if Google omits it', async () => {
  expect(await list()).toEqual({ items: [], listed: 0 });
});

it('reports that the group is gone', async () => {
  google.removeGroup(groupId);
  await expect(list()).rejects.toMatchObject({ kind: 'not_found' });
});

it('requests a group whose ID contains special characters', async () => {
  await expect(openGoogle(google).listMembers('a/b?c', { signal: never })).rejects.toMatchObject({ kind: 'not_found' });
  expect(google.requests[0]!.path).toBe('/admin/directory/v1/groups/a%2Fb%3Fc/members');
});
