import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ofPerson } from '../support/personal-data.ts';
import { createMany } from '../support/user-requests.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { recordEveryMs: 20 });
});
afterAll(() => service.stop());

interface Shown {
  method: string;
  path: string;
  status: number;
  detail: string | null;
  body: string | null;
  body_state: string;
}

const read = async ({ id }: TestDirectory, user: string, query = ''): Promise<{ data: Shown[]; next_cursor: string | null }> =>
  (await service.api('GET', `/api/v1/directory-sync/${id}/requests?user=${encodeURIComponent(user)}${query}`)).body;
const shown = async (directory: TestDirectory, user: string) =>
  (await read(directory, user)).data.map(({ method, path, status }) => [method, path.split('?')[0], status]);
const untilRecorded = ({ id }: TestDirectory, count: number) =>
  until(async () => (await service.db('scim_requests').where({ directory_id: id })).length >= count);

const patch = (...operations: unknown[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: operations,
});

it('lists every request about a user, also those of groups and Bulk, by ID or name', async () => {
  const directory = await service.createDirectory();
  const userName = 'ada@acme.example';
  const { body: ada } = await directory.scim('POST', '/Users', { userName, externalId: 'ext-7' });
  await directory.scim('POST', '/Users', { userName: 'bob@acme.example' });
  await directory.scim('POST', '/Users', { userName });
  const { body: group } = await directory.scim('POST', '/Groups', { displayName: 'Engineering', members: [{ value: ada.id }] });
  await directory.scim('PATCH', `/Groups/${group.id}`, patch({ op: 'remove', path: `members[value eq "${ada.id}"]` }));
  await directory.scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`);
  await directory.scim('POST', '/Bulk', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
    Operations: [
      { method: 'POST', path: '/Users', bulkId: 'a', data: { userName } },
      { method: 'POST', path: '/Users', bulkId: 'b', data: { userName: 'cy@acme.example' } },
    ],
  });
  await directory.scim('DELETE', `/Users/${ada.id}`);
  await untilRecorded(directory, 8);
  const all = [
    ['DELETE', `/Users/${ada.id}`, 204],
    ['POST', '/Bulk', 409],
    ['GET', '/Users', 200],
    ['PATCH', `/Groups/${group.id}`, 204],
    ['POST', '/Groups', 201],
    ['POST', '/Users', 409],
    ['POST', '/Users', 201],
  ];
  // The names of a deleted user do not lead to its ID.
  await until(async () => (await shown(directory, ada.id)).length === 4);
  expect(await shown(directory, ada.id)).toEqual([all[0], all[3], all[4], all[6]]);
  expect(await shown(directory, userName.toUpperCase())).toEqual([all[1], all[2], all[5]]);
  expect((await read(directory, userName)).data[0]!.detail).toContain('userName');
  expect(await shown(directory, 'nobody')).toEqual([]);
});

it('lists requests that removed a user from a group without naming her', async () => {
  const directory = await service.createDirectory();
  const [ada, bob] = await Promise.all(
    ['ada', 'bob'].map(async (userName) => (await directory.scim('POST', '/Users', { userName })).body.id as string),
  );
  const members = [ada, bob].map((value) => ({ value }));
  const { body: group } = await directory.scim('POST', '/Groups', { displayName: 'Engineering', members });
  const path = `/Groups/${group.id}`;
  const fill = () => directory.scim('PATCH', path, patch({ op: 'add', path: 'members', value: members }));
  const remove = [
    () => directory.scim('PUT', path, { displayName: 'Engineering', members: [{ value: bob }] }),
    () => directory.scim('PATCH', path, patch({ op: 'remove', path: 'members' })),
    () => directory.scim('PATCH', path, patch({ op: 'remove', path: `members[value eq "${bob}" or value eq "${ada}"]` })),
    () => directory.scim('PATCH', path, patch({ op: 'remove', path: 'members[type eq "User"]' })),
    () =>
      directory.scim('POST', '/Bulk', {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: [{ method: 'PUT', path, data: { displayName: 'Engineering', members: [{ value: bob }] } }],
      }),
    () => directory.scim('DELETE', path),
  ];
  for (const [index, send] of remove.entries()) {
    if (index > 0) await fill();
    expect((await send()).status).toBeLessThan(300);
  }
  const changes = ['POST', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'POST', 'PATCH', 'DELETE'];
  const expected = ['POST', ...changes].toReversed();
  for (const user of [ada!, bob!]) {
    await until(async () => (await read(directory, user)).data.length >= expected.length);
    expect((await read(directory, user)).data.map(({ method }) => method)).toEqual(expected);
  }
  // Ada had left before.
  await directory.scim('POST', '/Groups', { displayName: 'Sales', members: [{ value: bob }] });
  await until(async () => (await read(directory, bob!)).data.length > expected.length);
  expect((await read(directory, ada!)).data).toHaveLength(expected.length);
});

it('finds by a name what concerned the user who has it, in pages', async () => {
  const directory = await service.createDirectory();
  const { body: ada } = await directory.scim('POST', '/Users', {
    userName: 'ada',
    externalId: 'ext-7',
    emails: [{ value: 'a@b.example' }],
  });
  await directory.scim('GET', `/Users/${ada.id}`);
  await directory.scim('POST', '/Users', { userName: 'ada' });
  await until(async () => (await read(directory, 'ada')).data.length === 3);
  for (const name of ['ada', 'A@b.example', 'ext-7'])
    expect([name, (await shown(directory, name)).length]).toEqual([name, name === 'ada' ? 3 : 2]);
  const one = await read(directory, 'ada', '&limit=2');
  expect(one.data).toHaveLength(2);
  expect((await read(directory, 'ada', `&limit=2&cursor=${one.next_cursor}`)).data).toMatchObject([{ method: 'POST', status: 201 }]);
  const succeeded = await read(directory, 'ada', '&status=succeeded&limit=1');
  expect(succeeded.data).toMatchObject([{ method: 'GET', status: 200 }]);
  expect((await read(directory, 'ada', `&status=succeeded&limit=1&cursor=${succeeded.next_cursor}`)).data).toMatchObject([{ status: 201 }]);
  expect((await read(directory, 'ada', '&writes=true&include_body=false')).data).toMatchObject([
    { status: 409, body: null, body_state: 'complete' },
    { status: 201, body: null, body_state: 'complete' },
  ]);
  const other = await service.api('GET', `/api/v1/directory-sync/${directory.id}/requests?user=bob&cursor=${one.next_cursor}`);
  expect(other.status).toBe(400);
});

it('shows what happened to a user after 10,000 requests about others, in the list and in the export', async () => {
  const directory = await service.createDirectory();
  await directory.scim('POST', '/Users', { userName: 'eve', emails: 7 });
  const { body: eve } = await directory.scim('POST', '/Users', { userName: 'eve' });
  await until(async () => (await read(directory, 'eve')).data.length === 2);
  await createMany(service.db, directory.id, 10_000);
  expect((await service.api('GET', `/api/v1/directory-sync/${directory.id}/requests?limit=100`)).body.data).toHaveLength(100);
  expect((await read(directory, 'eve')).data).toMatchObject([
    { status: 201, body: null, body_state: 'expired' },
    { status: 400, detail: expect.stringContaining('emails'), body: null },
  ]);
  const exported = await ofPerson(service, directory, eve.id).export();
  expect(exported.filter(({ kind }) => kind === 'request').map(({ status }) => status)).toEqual([201, 400]);
});

it('erases what was noted about an erased user under each name, and nothing about others', async () => {
  const directory = await service.createDirectory();
  await directory.scim('POST', '/Users', { userName: 'grace@acme.example', externalId: 'grace-7', emails: 7 });
  const { body: grace } = await directory.scim('POST', '/Users', { userName: 'grace@acme.example' });
  const { body: bob } = await directory.scim('POST', '/Users', { userName: 'bob@acme.example' });
  await directory.scim('PUT', `/Users/${bob.id}`, { userName: 'grace@acme.example' });
  await directory.scim('POST', '/Groups', { displayName: 'Both', members: [{ value: grace.id }, { value: bob.id }] });
  await until(async () => (await read(directory, grace.id)).data.length === 2 && (await read(directory, bob.id)).data.length === 3);
  const { erase, untilErased } = ofPerson(service, directory, grace.id);
  await erase();
  await untilErased();
  for (const name of [grace.id, 'grace@acme.example', 'grace-7']) expect([name, await shown(directory, name)]).toEqual([name, []]);
  // The error may name Grace.
  expect((await read(directory, bob.id)).data.map(({ detail }) => detail)).toEqual([null, null, null]);
  expect(await shown(directory, bob.id)).toEqual([
    ['POST', '/Groups', 201],
    ['PUT', `/Users/${bob.id}`, 409],
    ['POST', '/Users', 201],
  ]);
});

it('erases a deleted user of whom only requests are left', async () => {
  const directory = await service.createDirectory();
  const { body: hana } = await directory.scim('POST', '/Users', { userName: 'hana@acme.example' });
  await directory.scim('GET', '/Users?filter=userName%20eq%20%22hana@acme.example%22');
  await directory.scim('DELETE', `/Users/${hana.id}`);
  await until(async () => (await read(directory, hana.id)).data.length === 2);
  await until(async () => (await read(directory, 'hana@acme.example')).data.length === 1);
  await service.db('stored_events').where({ directory_id: directory.id }).delete();
  const { erase, untilErased } = ofPerson(service, directory, hana.id);
  expect((await erase()).status).toBe(202);
  await untilErased();
  expect(await shown(directory, hana.id)).toEqual([]);
  const { data } = await read(directory, 'hana@acme.example');
  expect(data.map(({ path, detail }) => [path, detail])).toEqual([['/Users', null]]);
});

it('requires a key and a name', async () => {
  const directory = await service.createDirectory();
  const path = `/api/v1/directory-sync/${directory.id}/requests`;
  expect((await service.api('GET', `${path}?user=`)).status).toBe(400);
  expect((await service.api('GET', `${path}?user=${'x'.repeat(1_001)}`)).status).toBe(400);
  expect((await fetch(`${service.baseUrl}${path}?user=ada`)).status).toBe(401);
});
