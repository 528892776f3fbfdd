import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { request } from 'undici';
import { createManyUsers } from '../support/create-many-users.ts';
import { takeLongestBlocks, watchingEventLoop } from '../support/event-loop.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { RunningRollcall } from '../support/process.ts';
import type { TestDirectory } from '../support/service.ts';

/** EVENT_LOOP_PEOPLE=100000 is the maximum of a group. Beside other tests such a request takes longer than its timeout. */
const people = Number(process.env['EVENT_LOOP_PEOPLE'] ?? 40_000);
/** Of processor time. EVENT_LOOP_MAX_MS=250 is the limit on a quiet machine. Beside other tests the same work takes longer. */
const maxBlockMs = Number(process.env['EVENT_LOOP_MAX_MS'] ?? 2_000);

let installation: Installation;
let service: RunningRollcall;
let tenant: TestDirectory;
let ids: string[];
beforeAll(async () => {
  installation = await createInstallation({ env: { SCIM_TIMEOUT_MS: '50000' } });
  const { folder } = installation;
  service = await installation.start({
    env: watchingEventLoop(folder, '--max-old-space-size=512'),
  });
  tenant = await installation.createDirectory({ tenant: 'a' });
  await createManyUsers(installation.db, tenant.id, people);
  ids = await installation.db('users').where({ directory_id: tenant.id }).orderBy('id').pluck('id');
}, 240_000);
afterAll(async () => {
  await service?.kill();
  await installation?.remove();
});

const longest: [ms: number, what: string][] = [];
/** What blocked the event loop for too long since the last call. */
const takeTooLong = () => longest.splice(0).filter(([ms]) => ms > maxBlockMs);

const text = (bytes: number) => 'x'.repeat(bytes);
const groupOf = (members: string[]) => ({ displayName: 'Everybody', members: members.map((value) => ({ value })) });
const bulkOf = (Operations: object[]) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations });
const users = (count: number, more: object) =>
  Array.from({ length: count }, (_, index) => ({
    method: 'POST',
    path: '/Users',
    bulkId: `${index}`,
    data: { userName: `new${index}`, ...more },
  }));
const patchOf = (...Operations: object[]) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });

/** Prints the longest block of the event loop during this request. */
async function send(what: string, method: string, path: string, body: unknown, status: number) {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  await takeLongestBlocks(service, installation.folder);
  const startedMs = performance.now();
  // Not `fetch`, which compares the response with the OpenAPI document, and takes seconds for this size.
  const response = await request(`${service.baseUrl}/api/scim/v2.0/${tenant.id}${path}`, {
    method,
    headers: { authorization: `Bearer ${tenant.secret}`, 'content-type': 'application/scim+json' },
    ...(sent !== undefined && { body: sent }),
  });
  const received = Buffer.from(await response.body.arrayBuffer());
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  const { blockedMs, processorMs } = await takeLongestBlocks(service, installation.folder);
  const sizes = `${Math.round((sent?.length ?? 0) / 1e3)} KB sent, ${Math.round(received.length / 1e3)} KB received`;
  process.stdout.write(
    `${what}: the event loop was blocked for ${blockedMs} ms at most, ${processorMs} ms of it its own, in ${seconds} s (${sizes})\n`,
  );
  expect([response.statusCode, received.subarray(0, 300).toString()]).toEqual([status, expect.any(String)]);
  longest.push([processorMs, what]);
  return received;
}

it('responds to others while a very large group is created, read, replaced, changed and deleted', async () => {
  const made = await send(`a group of ${people} members is made`, 'POST', '/Groups?excludedAttributes=members', groupOf(ids), 201);
  const { id } = JSON.parse(made.toString());
  const path = `/Groups/${id}`;
  await send('it is read', 'GET', path, undefined, 200);
  await send('it is read without addresses', 'GET', `${path}?excludedAttributes=members.$ref`, undefined, 200);
  await send('it is listed', 'GET', '/Groups', undefined, 200);
  await send('it is replaced by the same', 'PUT', path, groupOf(ids), 200);
  await send('some leave', 'PUT', `${path}?excludedAttributes=members`, groupOf(ids.slice(people / 5)), 200);
  await send(
    'they come back',
    'PATCH',
    path,
    patchOf({ op: 'add', path: 'members', value: ids.slice(0, people / 5).map((value) => ({ value })) }),
    204,
  );
  await send('a filter removes no members', 'PATCH', path, patchOf({ op: 'remove', path: 'members[display co "x"]' }), 204);
  await send('it is deleted', 'DELETE', path, undefined, 204);
  expect(takeTooLong()).toEqual([]);
}, 180_000);

it('responds to others while a very large group of members that do not exist is created and replaced', async () => {
  const names = ids.map((id) => `person ${id}`);
  const made = await send(
    `a group of ${people} pending members is made`,
    'POST',
    '/Groups?excludedAttributes=members',
    groupOf(names),
    201,
  );
  const path = `/Groups/${JSON.parse(made.toString()).id}`;
  await send('it is replaced by the same', 'PUT', `${path}?excludedAttributes=members`, groupOf(names), 200);
  await send('some leave', 'PUT', `${path}?excludedAttributes=members`, groupOf(names.slice(people / 5)), 200);
  await send('it is deleted', 'DELETE', path, undefined, 204);
  expect(takeTooLong()).toEqual([]);
}, 180_000);

it('responds to others while the largest bodies are read', async () => {
  await send('a Bulk request of 10 MB', 'POST', '/Bulk', bulkOf(users(1_000, { note: text(10_000) })), 200);
  await send(
    'a Bulk request of 280,000 values',
    'POST',
    '/Bulk',
    bulkOf(users(1_000, { x: Array.from({ length: 130 }, () => ({})) })),
    200,
  );
  const escaped = `{"schemas":["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],"Operations":[],"note":"${'\\u00e9'.repeat(1_700_000)}"}`;
  await send('a Bulk request of one text', 'POST', '/Bulk', JSON.parse(escaped), 200);
  expect(takeTooLong()).toEqual([]);
}, 240_000);

it('responds to others while the largest pages are written', async () => {
  await send('1,000 users', 'GET', '/Users?count=1000', undefined, 200);
  await send('users of 10 KB', 'GET', `/Users?count=1000&filter=${encodeURIComponent('userName sw "new"')}`, undefined, 200);
  expect(takeTooLong()).toEqual([]);
}, 180_000);
