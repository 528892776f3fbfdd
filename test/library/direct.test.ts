import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rollcall, type RollcallEvent, type RollcallOptions } from '../../src/library/index.ts';
import { dumpTables } from '../support/dump-tables.ts';
import { startTestLibrary, type EmbeddedDirectory, type ScimBody, type TestLibrary } from '../support/library.ts';
import { ada } from '../support/service.ts';

let library: TestLibrary;
let directory: EmbeddedDirectory;
beforeAll(async () => {
  library = await startTestLibrary();
  directory = await library.createDirectory();
});
afterAll(() => library.stop());

const patch = (value: object) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'replace', value }] });
const collect = () => {
  const events: RollcallEvent[] = [];
  return { events, callback: (event: RollcallEvent) => void events.push(event) };
};

it('returns the SCIM address of the application', async () => {
  const { data } = await library.sync.directories.get(directory.id);
  expect(data?.scim.endpoint).toBe(`https://app.example/api/scim/v2.0/${directory.id}`);
});

it('encrypts a webhook address, and returns all of it when the directory is read', async () => {
  const address = 'https://app.example/hooks?token=canary';
  const { id } = await library.createDirectory({ tenant: 'sealed', webhook_url: address });
  expect((await library.sync.directories.get(id)).data?.webhook.endpoint).toBe(address);
  const dump = await dumpTables(library.db);
  expect(dump).toContain('"url":"app.example"');
  expect(dump).not.toContain('app.example/');
  expect(dump + JSON.stringify(library.logs)).not.toContain('canary');
});

it('applies what an identity provider sends, and calls the callback before it responds', async () => {
  const { events, callback } = collect();
  const made = await directory.handle('POST', 'users', { body: ada }, callback);
  expect([made.status, made.data.userName, made.headers['location']]).toEqual([
    201,
    'ada@example.com',
    `https://app.example/api/scim/v2.0/${directory.id}/Users/${made.data.id}`,
  ]);
  expect(events).toEqual([
    {
      event: 'user.created',
      tenant: 'acme',
      product: 'app',
      directory_id: directory.id,
      data: expect.objectContaining({ id: made.data.id, email: 'ada@example.com', first_name: 'Ada' }),
      id: expect.any(String),
      sequence: 1,
      occurred_at: expect.any(String),
      reason: 'scim',
    },
  ]);

  const group = await directory.handle(
    'POST',
    'groups',
    { body: JSON.stringify({ displayName: 'Engineers', members: [{ value: made.data.id }] }) },
    callback,
  );
  const found = await directory.handle('get', 'users', { query: { filter: 'userName eq "ADA@example.com"', count: 1 } });
  expect([group.status, found.data.totalResults]).toEqual([201, 1]);
  const removed = await directory.handle('DELETE', 'users', { id: made.data.id }, callback);
  expect([removed.status, removed.data]).toEqual([204, null]);
  expect(events.map(({ event, sequence }) => [event, sequence])).toEqual([
    ['user.created', 1],
    ['group.created', 2],
    ['group.user_added', 3],
    ['group.user_removed', 4],
    ['user.deleted', 5],
  ]);
});

it('responds to a change with the current resource, including groups and version', async () => {
  const other = await library.createDirectory();
  const made = await other.handle('POST', 'users', { body: ada });
  await other.handle('POST', 'groups', { body: { displayName: 'B', members: [{ value: made.data.id }] } });
  await other.handle('POST', 'groups', { body: { displayName: 'A', members: [{ value: made.data.id }] } });
  const read = () => other.handle('GET', 'users', { id: made.data.id });
  for (const body of [patch({ displayName: 'Ada' }), patch({ displayName: 'Ada' }), patch({ active: false })]) {
    const patched = await other.handle('PATCH', 'users', { id: made.data.id, body });
    const found = await read();
    expect([patched.status, patched.data, patched.headers['etag']]).toEqual([200, found.data, found.headers['etag']]);
    expect(patched.data.groups.map(({ display }) => display)).toEqual(['B', 'A']);
  }
  const put = await other.handle('PUT', 'users', { id: made.data.id, body: { ...ada, userName: 'ada.b@example.com' } });
  expect(put.data).toEqual((await read()).data);
});

it('returns what was pushed, in the form of the HTTP API', async () => {
  const other = await library.createDirectory({ tenant: 'read' });
  await other.handle('POST', 'users', { body: ada });
  const owner = { tenant: 'read', product: 'app' };
  const users = await library.sync.users.list(owner);
  expect(users.data?.map(({ email }) => email)).toEqual(['ada@example.com']);
  expect(await library.sync.users.get(users.data![0]!.id, owner)).toMatchObject({ data: { first_name: 'Ada' }, error: null });
  const feed = await library.sync.events.list({ directoryId: other.id });
  expect(feed.data?.map(({ event }) => event)).toEqual(['user.created']);
  expect(await library.sync.users.get(other.id, owner)).toMatchObject({ data: null, error: { code: 'not_found' }, status: 404 });
});

it.each([
  ['a wrong secret', { secret: 'wrong' }],
  ['no secret', { secret: '' }],
])('responds to %s with 401 and nothing else', async (_what, more) => {
  const { events, callback } = collect();
  const response = await directory.handle('POST', 'users', { body: { ...ada, userName: 'eve' }, ...more }, callback);
  expect([response.status, response.data.status, events]).toEqual([401, '401', []]);
});

it('responds to invalid requests as the HTTP API does', async () => {
  expect((await directory.handle('POST', 'users', { body: '{"userName":' })).status).toBe(400);
  expect((await directory.handle('POST', 'nobody' as 'users', { body: ada })).status).toBe(404);
  expect((await directory.handle('DELETE', 'users', {})).status).toBe(405);
});

const key = randomBytes(32).toString('base64');
const right = { databaseUrl: 'postgres://127.0.0.1:1/x', encryptionKeys: [key], externalUrl: 'https://app.example' };
it.each([
  ['is not an address', { ...right, databaseUrl: 'mysql://localhost/x' }, /databaseUrl/],
  ['is an unset variable', { ...right, databaseUrl: undefined }, /databaseUrl .*undefined/],
  ['is a list of unset variables', { ...right, encryptionKeys: [undefined] }, /encryptionKeys/],
  ['is text instead of a list', { ...right, encryptionKeys: key }, /encryptionKeys/],
  ['is not a function', { ...right, onEvent: 5 }, /onEvent/],
  ['is missing', { databaseUrl: right.databaseUrl }, /encryptionKeys/],
  ['is the missing address', { databaseUrl: right.databaseUrl, encryptionKeys: [key] }, /externalUrl/],
  ['is mistyped', { databaseURL: 'x' }, / databaseURL\W.* databaseUrl\?/],
  ['is mistyped within another', { ...right, google: { clientID: 'x' } }, / clientID\W.* clientId\?/],
  ['is a mistyped setting', { ...right, settings: { WEBHOOK_TIMOUT_MS: '1' } }, / WEBHOOK_TIMOUT_MS\W.* WEBHOOK_TIMEOUT_MS\?/],
  ['leads to no server', right, /databaseUrl/],
])('names the option that %s', async (_how, options, message) => {
  await expect(rollcall(options as unknown as RollcallOptions)).rejects.toThrow(message);
});

it('responds to whatever a server passes on, and never rejects', async () => {
  const ask = (more: object) =>
    library.sync.requests.handle({
      method: 'GET',
      directoryId: directory.id,
      resourceType: 'users',
      apiSecret: directory.secret,
      ...more,
    });
  const responses = await Promise.all([
    ask({}),
    ask({ apiSecret: `Bearer ${directory.secret}` }),
    ask({ method: undefined }),
    ask({ resourceType: undefined, directoryId: undefined }),
    ask({ resourceId: '\ud800' }),
    ask({ directoryId: '../../v1/directory-sync/users?tenant=acme&product=app' }),
    ask({ directory_id: directory.id }),
    ask({ method: 'POST', body: Buffer.from(JSON.stringify({ ...ada, userName: 'bytes@example.com' })) }),
    ask({ method: 'POST', body: Buffer.from('{') }),
    ask({ method: 'POST', body: nested(40_000), apiSecret: 'a wrong secret' }),
    // Express parses `?filter[toString]=x` and a repeated header into these.
    ask({ query: { filter: { toString: 'x' } } }),
    ask({ apiSecret: ['Bearer a', 'Bearer b'] }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 400, 404, 404, 401, 400, 201, 400, 400, 400, 400]);
  expect((responses[2].data as ScimBody).detail).toMatch(/\bmethod\b/);
  expect((responses[6].data as ScimBody).detail).toMatch(/ directory_id\W.* directoryId\?/);
});

it('rejects a body that would be written as more than its limits, also if it holds one value many times', async () => {
  const { sync } = library;
  const post = (body: unknown) =>
    sync.requests.handle({ method: 'POST', directoryId: directory.id, resourceType: 'users', apiSecret: directory.secret, body });
  const userName = 'shared@example.com';
  const million = 'x'.repeat(1_000_000);
  for (const body of [
    { userName, x: shared(20) },
    { userName, x: Object.assign([], { length: 1_000_000_000 }) },
    { userName, x: Array.from({ length: 1_000 }, () => million) },
  ]) {
    const { status, data } = await post(body);
    expect([status, (data as ScimBody).detail]).toEqual([413, expect.stringMatching(/MAX_BODY_BYTES.*MAX_BODY_VALUES/)]);
  }
  const { error } = await sync.directories.create({ tenant: 't', product: 'p', name: shared(20) as string });
  expect(error).toMatchObject({ code: 'invalid_request', field: 'body' });
});

/** An array that contains the one before it ten times, and so on. */
function shared(levels: number): unknown {
  const inner = levels === 0 ? 'x' : shared(levels - 1);
  return Array.from({ length: 10 }, () => inner);
}

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
