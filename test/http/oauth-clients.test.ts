import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dumpTables } from '../support/dump-tables.ts';
import { askForToken, clientsPath, createClient, getToken, ofClient } from '../support/oauth-clients.ts';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let directory: TestDirectory;
let other: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
  other = await service.createDirectory();
});
afterAll(() => service.stop());

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

it('shows the secret of a client once, and stores only its hash', async () => {
  const created = await service.api('POST', clientsPath(directory.id), { name: 'Entra' });
  const { client_secret: secret, token_endpoint: endpoint, ...client } = created.body.data;
  expect(created.status).toBe(201);
  expect(secret).toMatch(/^rcs_[\w-]{43}$/);
  expect(new URL(endpoint).pathname).toBe('/api/scim/oauth/token');
  expect(client).toEqual({
    client_id: expect.any(String),
    name: 'Entra',
    created_at: expect.any(String),
    expires_at: expect.any(String),
    last_used_at: null,
    revoked_at: null,
  });
  expect(Math.round((Date.parse(client.expires_at) - Date.now()) / dayMs)).toBe(365);
  expect((await service.api('GET', `${clientsPath(directory.id)}/${client.client_id}`)).body.data).toEqual(client);
  expect((await service.api('GET', clientsPath(directory.id))).body.data).toEqual([client]);
  const token = (await askForToken(service, ofClient({ id: client.client_id, secret }))).body.access_token as string;
  const dump = await dumpTables(service.db);
  expect(dump).toContain(client.client_id);
  for (const value of [secret, token]) expect(dump + JSON.stringify(service.logs)).not.toContain(value.slice(4));
});

it('says when a client last got an access token', async () => {
  const client = await createClient(service, directory.id);
  await getToken(service, client);
  const { last_used_at: at } = (await service.api('GET', client.path)).body.data;
  expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(60_000);
});

it('accepts an expiry of up to three years', async () => {
  for (const [expiresAt, status] of [
    [inDays(1_095), 201],
    [inDays(1_100), 400],
    [inDays(-1), 400],
    ['soon', 400],
  ])
    expect((await service.api('POST', clientsPath(other.id), { name: 'a', expires_at: expiresAt })).status).toBe(status);
});

it('rejects what it does not know, a missing name and a pulled directory', async () => {
  const pulled = await service.createDirectory({ type: 'google' });
  for (const [id, body, field] of [
    [other.id, {}, 'name'],
    [other.id, { name: 'a', expires: inDays(1) }, 'expires'],
    [pulled.id, { name: 'a' }, undefined],
  ] as const) {
    const response = await service.api('POST', clientsPath(id), body);
    expect([response.status, response.body.error.field]).toEqual([400, field]);
  }
  const client = await createClient(service, other.id);
  expect((await service.api('PATCH', client.path, { client_secret: 'x' })).status).toBe(400);
});

it('changes the name and expiry of a client, and its access tokens end with it', async () => {
  const client = await createClient(service, other.id);
  const token = await getToken(service, client);
  const expiresAt = inDays(0.01);
  const changed = await service.api('PATCH', client.path, { name: 'New', expires_at: expiresAt });
  expect(changed.body.data).toMatchObject({ name: 'New', expires_at: expiresAt });
  const ends = await service.db('scim_access_tokens').where({ client_id: client.id }).pluck('expires_at');
  expect([token.length, ends]).toEqual([47, [new Date(expiresAt)]]);
  expect((await askForToken(service, ofClient(client))).body.expires_in).toBeLessThan(0.01 * 86_400);
});

it('does not change a revoked client, and revokes it once', async () => {
  const client = await createClient(service, other.id);
  const revoked = (await service.api('DELETE', client.path)).body.data;
  expect(revoked.revoked_at).toEqual(expect.any(String));
  expect((await service.api('DELETE', client.path)).body.data).toEqual(revoked);
  expect((await service.api('PATCH', client.path, { name: 'New' })).status).toBe(400);
  expect((await service.api('GET', client.path)).body.data).toEqual(revoked);
});

it('knows a client only in its own directory', async () => {
  const client = await createClient(service, other.id);
  const foreign = `${clientsPath(directory.id)}/${client.id}`;
  for (const [method, path] of [
    ['GET', foreign],
    ['PATCH', foreign],
    ['DELETE', foreign],
    ['DELETE', `${foreign}/tokens`],
    ['GET', clientsPath('00000000-0000-7000-8000-000000000000')],
    ['POST', clientsPath('00000000-0000-7000-8000-000000000000')],
    ['GET', `${clientsPath(directory.id)}/x`],
  ] as const)
    expect((await service.api(method, path, method === 'GET' || method === 'DELETE' ? undefined : { name: 'a' })).status).toBe(404);
  expect((await service.api('GET', client.path)).body.data).toMatchObject({ name: 'test', revoked_at: null });
});

it('limits the active clients of a directory, even if several are created at once', async () => {
  const { id } = await service.createDirectory();
  const created = await Promise.all(Array.from({ length: 12 }, () => service.api('POST', clientsPath(id), { name: 'a' })));
  expect(created.map(({ status }) => status).sort((a, b) => a - b)).toEqual([...Array.from({ length: 10 }, () => 201), 400, 400]);
  const first = created.find(({ status }) => status === 201)!.body.data;
  await service.api('DELETE', `${clientsPath(id)}/${first.client_id}`);
  expect((await service.api('POST', clientsPath(id), { name: 'a' })).status).toBe(201);
});

it('counts an expired client again when it is extended', async () => {
  const { id } = await service.createDirectory();
  const expired = await service.api('POST', clientsPath(id), { name: 'a', expires_at: new Date(Date.now() + 1_000).toISOString() });
  const endsAt = Date.parse(expired.body.data.expires_at as string);
  for (let count = 0; count < 9; count += 1) await createClient(service, id);
  await until(() => Date.now() > endsAt);
  await createClient(service, id);
  const path = `${clientsPath(id)}/${expired.body.data.client_id}`;
  const extended = await service.api('PATCH', path, { expires_at: inDays(1) });
  expect([extended.status, extended.body.error?.code]).toEqual([400, 'invalid_request']);
  await service.api('DELETE', `${clientsPath(id)}/${(await service.api('GET', clientsPath(id))).body.data[0].client_id}`);
  expect((await service.api('PATCH', path, { expires_at: inDays(1) })).status).toBe(200);
});

it('keeps twenty clients that are revoked or expired', async () => {
  const { id } = await service.createDirectory();
  for (let count = 0; count < 23; count += 1) await service.api('DELETE', (await createClient(service, id)).path);
  await createClient(service, id);
  expect((await service.api('GET', clientsPath(id))).body.data).toHaveLength(21);
});
