import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createManyUsers } from '../support/create-many-users.ts';
import { addAllUsers, storeGroup } from '../support/memberships.ts';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
let groupId: string;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory({ tenant: 'a' });
  await createManyUsers(service.db, directory.id, 30_000);
  ({ id: groupId } = (await directory.scim('POST', '/Groups', { displayName: 'Everybody' })).body);
  await addAllUsers(service.db, directory.id, groupId, '€'.repeat(500));
});
afterAll(() => service.stop());

const rename = (displayName: string) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'displayName', value: displayName }],
});

it.each([
  ['PATCH', `?attributes=members`, rename('Changed by PATCH')],
  ['PUT', '', { displayName: 'Changed by PUT' }],
])('responds to a %s with only the version when the group is too large', async (method, query, body) => {
  expect((await directory.scim('GET', `/Groups/${groupId}`)).status).toBe(413);
  const { status, headers } = await directory.scim(method, `/Groups/${groupId}${query}`, body);
  const shown = await directory.scim('GET', `/Groups/${groupId}?excludedAttributes=members`);
  expect(shown.body.displayName).toBe(`Changed by ${method}`);
  expect([status, headers.get('etag')]).toEqual([204, shown.body.meta.version]);
});

it('lists the members of a group of up to 100,000 in the group, and those of a larger one only by page', async () => {
  const { id: directoryId } = await service.createDirectory({ tenant: 'b' });
  const [large, larger] = [await storeGroup(service.db, directoryId, 100_000), await storeGroup(service.db, directoryId, 100_001)];
  const get = (path: string) => service.api('GET', `/api/v1/directory-sync/groups/${path}directoryId=${directoryId}`);
  const { data } = (await get(`${large}?`)).body;
  expect([data.members.length, data.raw.members.length, data.raw.members[99_999].display]).toEqual([100_000, 100_000, 'member 100000']);
  const { status, body } = await get(`${larger}?`);
  expect([status, body.data, body.error.code, body.error.message]).toEqual([
    400,
    null,
    'invalid_request',
    expect.stringContaining('/members'),
  ]);
  expect((await get(`${larger}/members?pageOffset=100000&`)).body.data).toHaveLength(1);
});
