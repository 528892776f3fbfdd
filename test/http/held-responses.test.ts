import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createManyUsers } from '../support/create-many-users.ts';
import { addAllUsers } from '../support/memberships.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const people = 15_000;

let service: TestService;
let directory: TestDirectory;
let otherTenant: TestDirectory;
let groupId: string;
beforeAll(async () => {
  service = await startTestService({ MAX_RESPONSES_BYTES: '15000000', SCIM_TIMEOUT_MS: '10000' });
  directory = await service.createDirectory({ tenant: 'a' });
  otherTenant = await service.createDirectory({ tenant: 'b' });
  groupId = await addEverybody(directory, people);
});
afterAll(() => service.stop());

/** Makes a group so large that the memory holds only one response with its members. */
async function addEverybody(to: TestDirectory, count: number): Promise<string> {
  await createManyUsers(service.db, to.id, count);
  const { id } = (await to.scim('POST', '/Groups', { displayName: 'Everybody' })).body;
  await addAllUsers(service.db, to.id, id, 'x'.repeat(400));
  return id;
}

const change = JSON.stringify({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'displayName', value: 'Everyone' }],
});

/** Sends a request, and does not read the response. */
const sendAndWait = (method: string, query: string, body = '') => send(method, `/Groups/${groupId}${query}`, body);

async function send(method: string, path: string, body = ''): Promise<Socket> {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname).pause();
  await once(socket, 'connect');
  socket.write(
    `${method} /api/scim/v2.0/${directory.id}${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${directory.secret}\r\n` +
      `Content-Type: application/scim+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}
const large = { userName: 'large', notes: Array.from({ length: 900 }, () => 'x'.repeat(900)) };
const newUsers = (count: number) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
  Operations: Array.from({ length: count }, (_, index) => ({
    method: 'POST',
    path: '/Users',
    bulkId: `${index}`,
    data: { userName: `new ${index}` },
  })),
});
const read = async () => (await directory.scim('GET', `/Groups/${groupId}`)).status;

it.each([
  ['GET', '', ''],
  ['PATCH', '?attributes=members', change],
])('counts the memory of the response to %s until it is read', async (method, query, body) => {
  expect(await read()).toBe(200);
  const socket = await sendAndWait(method, query, body);
  await until(async () => (await read()) === 503, { timeoutMs: 40_000 });
  socket.destroy();
  await until(async () => (await read()) === 200, { timeoutMs: 40_000 });
});

it('ends an unread response when another directory needs its memory', async () => {
  const id = await addEverybody(otherTenant, people - 500);
  const socket = await sendAndWait('GET', '');
  const closed = once(socket, 'close');
  await until(async () => (await read()) === 503, { timeoutMs: 40_000 });
  expect(socket.closed).toBe(false);
  expect((await otherTenant.scim('GET', `/Groups/${id}`)).status).toBe(200);
  socket.on('error', () => undefined).resume();
  await closed;
});

it('reserves memory for the responses to a Bulk and a large PATCH, and applies no Bulk without it', async () => {
  const { status, body } = await directory.scim('POST', '/Users', large);
  expect([status, body]).toEqual([201, expect.anything()]);
  const userId = body.id;
  const patchUser = async (value: string) =>
    (await directory.scim('PATCH', `/Users/${userId}`, { Operations: [{ op: 'replace', path: 'title', value }] })).status;
  expect(await patchUser('one')).toBe(200);
  const socket = await sendAndWait('GET', '');
  await until(async () => (await read()) === 503, { timeoutMs: 40_000 });
  expect(await patchUser('two')).toBe(503);
  expect((await directory.scim('POST', '/Bulk', newUsers(1_000))).status).toBe(503);
  expect((await directory.scim('POST', '/Bulk', newUsers(1))).status).toBe(200);
  socket.destroy();
  await until(async () => (await patchUser('three')) === 200, { timeoutMs: 40_000 });
  expect((await directory.scim('GET', '/Users?filter=userName sw "new "&count=0')).body.totalResults).toBe(1);
});

it('holds no memory for a caller that disconnected while its secret was checked', async () => {
  const { body } = await directory.scim('POST', '/Users', { ...large, userName: 'larger' });
  await service.db.transaction(async (blocker) => {
    await blocker.raw('lock table directories in access exclusive mode');
    const socket = await send('GET', `/Users/${body.id}`);
    const waiting = async () => {
      const { rows } = await blocker.raw<{ rows: { count: number }[] }>(
        `select count(*) as count from pg_locks where relation = cast('directories' as regclass) and not granted`,
      );
      return rows[0]!.count;
    };
    await until(async () => (await waiting()) > 0);
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    // When it responds to this, the service has seen that the connection ended.
    await fetch(`${service.baseUrl}/health/live`);
  });
  await until(async () => (await directory.scim('GET', `/Users/${body.id}`)).status === 200);
  expect(await read()).toBe(200);
});
