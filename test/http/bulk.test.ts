import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  directory = await service.createDirectory();
});

const bulkUrn = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const bulk = (Operations: object[], more: object = {}) => directory.scim('POST', '/Bulk', { schemas: [bulkUrn], Operations, ...more });
const post = (bulkId: string, path: '/Users' | '/Groups', data: object) => ({ method: 'POST', path, bulkId, data });
const statuses = ({ body }: { body: { Operations: { status: string }[] } }) => body.Operations.map(({ status }) => status);
const workflows = async () => {
  const found = [];
  const query = `DirectoryIds = '${directory.id}' and WorkflowType = 'mutationGroup'`;
  for await (const workflow of service.client.workflow.list({ query })) found.push(workflow.status.name);
  return found;
};

it('applies a thousand operations, too many bytes for an input of Temporal, as one workflow', async () => {
  const operations = Array.from({ length: 1000 }, (_, index) =>
    post(`${index}`, '/Users', { userName: `user${index}`, title: 'x'.repeat(2_000) }),
  );
  const response = await bulk(operations);
  expect(response.status).toBe(200);
  expect(new Set(statuses(response))).toEqual(new Set(['201']));
  expect((await directory.scim('GET', '/Users?count=0')).body.totalResults).toBe(1000);
  expect(await service.db('events').where({ directory_id: directory.id }).orderBy('sequence').pluck('sequence')).toEqual(
    Array.from({ length: 1000 }, (_, index) => index + 1),
  );
  await until(async () => (await workflows())[0] === 'COMPLETED');
  expect(await workflows()).toEqual(['COMPLETED']);
  await until(async () => (await service.db('staged_mutations').where({ directory_id: directory.id })).length === 0);
});

it('replaces bulkIds with IDs, before and after the resources that they name, and in cycles', async () => {
  const response = await bulk([
    post('staff', '/Groups', { displayName: 'Staff', members: [{ value: 'bulkId:ada' }, { value: 'bulkId:crew' }] }),
    post('crew', '/Groups', { displayName: 'Crew', members: [{ value: 'bulkId:staff' }] }),
    post('ada', '/Users', { userName: 'ada' }),
    {
      method: 'PATCH',
      path: '/Users/bulkId:ada',
      data: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'add', path: 'title', value: 'Dr' }] },
    },
  ]);
  expect(statuses(response)).toEqual(['201', '201', '201', '200']);
  const [staff, crew, ada] = response.body.Operations.map(({ location }: { location: string }) => location.split('/').at(-1));
  expect((await directory.scim('GET', `/Groups/${staff}`)).body.members.map(({ value }: { value: string }) => value)).toEqual(
    expect.arrayContaining([ada, crew]),
  );
  expect((await directory.scim('GET', `/Users/${ada}`)).body).toMatchObject({ title: 'Dr', groups: [{ value: staff, display: 'Staff' }] });
});

it('creates no pending members for a cycle whose later half fails', async () => {
  await directory.scim('POST', '/Groups', { displayName: 'Crew' });
  const response = await bulk([
    post('staff', '/Groups', { displayName: 'Staff', members: [{ value: 'bulkId:crew' }] }),
    post('crew', '/Groups', { displayName: 'Crew', members: [{ value: 'bulkId:staff' }] }),
  ]);
  expect(statuses(response)).toEqual(['201', '409']);
  const { location, version } = response.body.Operations[0];
  expect((await directory.scim('GET', `/Groups/${location.split('/').at(-1)}`)).body).toMatchObject({ members: [], meta: { version } });
});

it('rejects a group that is a member of itself, also by bulkId', async () => {
  const patch = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] };
  const response = await bulk([
    post('self', '/Groups', { displayName: 'Self', members: [{ value: 'bulkId:self' }] }),
    post('staff', '/Groups', { displayName: 'Staff' }),
    {
      method: 'PATCH',
      path: '/Groups/bulkId:staff',
      data: { ...patch, Operations: [{ op: 'add', path: 'members', value: [{ value: 'bulkId:staff' }] }] },
    },
    { method: 'PUT', path: '/Groups/bulkId:staff', data: { displayName: 'Crew', members: [{ value: 'bulkId:staff' }] } },
  ]);
  expect(statuses(response)).toEqual(['400', '201', '400', '400']);
  for (const index of [0, 2, 3]) expect(response.body.Operations[index].response).toMatchObject({ scimType: 'invalidValue' });
  expect((await directory.scim('GET', '/Groups')).body.Resources).toMatchObject([{ displayName: 'Staff', members: [] }]);
});

it('applies the other operations when some fail, and fails those that refer to them', async () => {
  await directory.scim('POST', '/Users', { userName: 'ada' });
  const response = await bulk([
    post('twin', '/Users', { userName: 'ADA' }),
    post('staff', '/Groups', { displayName: 'Staff', members: [{ value: 'bulkId:twin' }] }),
    post('ben', '/Users', { userName: 'ben' }),
    { method: 'DELETE', path: '/Users/00000000-0000-4000-8000-000000000000' },
    post('bad', '/Users', { title: 'no name' }),
    { method: 'PUT', path: '/Users/no-uuid', data: { userName: 'x' } },
  ]);
  expect(statuses(response)).toEqual(['409', '400', '201', '404', '400', '404']);
  expect(response.body.Operations[0].response).toMatchObject({ scimType: 'uniqueness', status: '409' });
  expect((await directory.scim('GET', '/Groups?count=0')).body.totalResults).toBe(0);
});

it('stops after failOnErrors', async () => {
  const response = await bulk(
    [post('a', '/Users', {}), post('b', '/Users', { userName: 'b' }), post('c', '/Users', {}), post('d', '/Users', { userName: 'd' })],
    {
      failOnErrors: 2,
    },
  );
  expect(statuses(response)).toEqual(['400', '201', '400']);
  expect((await directory.scim('GET', '/Users')).body.Resources.map(({ userName }: { userName: string }) => userName)).toEqual(['b']);
});

it('names the limit that a request exceeds', async () => {
  const tooMany = await bulk(Array.from({ length: 1001 }, (_, index) => post(`${index}`, '/Users', { userName: `u${index}` })));
  expect(tooMany).toMatchObject({ status: 413, body: { detail: expect.stringContaining('1000') } });
  const tooLarge = await bulk([post('a', '/Users', { userName: 'a', title: 'x'.repeat(10_485_760) })]);
  expect(tooLarge).toMatchObject({ status: 413, body: { detail: expect.stringContaining('10485760') } });
  expect((await directory.scim('GET', '/Users?count=0')).body.totalResults).toBe(0);
});
