import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createManyUsers } from '../support/create-many-users.ts';
import { addAllUsers } from '../support/memberships.ts';
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
