import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type PresetName, presets, type Scope, scopes } from '../../src/access/scopes.ts';
import { readAuditLog } from '../support/audit.ts';
import { createKey, keysPath, withKey, type TestKey } from '../support/api-keys.ts';
import { root } from '../support/operate.ts';
import { apiKey, shareTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const create = (fields: object) => service.api('POST', keysPath, { name: 'test', ...fields });
const at = ({ id }: { id: string }) => `${keysPath}/${id}`;
const read = async (key: { id: string }) => (await service.api('GET', at(key))).body.data;
const statusOf = async (key: string) => (await withKey(service, key)('GET', `${root}/all`)).status;

it('creates a key that is shown once', async () => {
  const { status, body } = await create({ name: 'Billing', scopes: ['people:read', 'directories:read'], tenant: 'acme' });
  const { key, ...shown } = body.data;
  expect([status, shown]).toEqual([
    201,
    {
      id: expect.any(String),
      name: 'Billing',
      scopes: ['directories:read', 'people:read'],
      tenant: 'acme',
      product: null,
      directory_id: null,
      allowed_networks: null,
      expires_at: null,
      last_used_at: null,
      created_at: expect.any(String),
      created_by: 'root_1',
      revoked_at: null,
      prefix: key.slice(0, 12),
    },
  ]);
  expect(await read(shown)).toEqual(shown);
  const { body: listed } = await service.api('GET', keysPath);
  expect(listed.data).toContainEqual(shown);
  expect(await statusOf(key)).toBe(200);
});

it('stores only the hash of a value', async () => {
  const { key } = await createKey(service);
  const rows = await service
    .db('api_key_values as v')
    .join('api_keys as k', 'k.id', 'v.key_id')
    .where({ prefix: key.slice(0, 12) });
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(key.slice(12));
  const { rows: kept } = await service.db.raw('select body from audit_log');
  expect(JSON.stringify([kept, service.logs])).not.toContain(key.slice(12));
});

it.each(Object.keys(presets) as PresetName[])('gives a key the scopes of the preset %s', async (preset) => {
  const whole = (await create({ preset })).body.data;
  expect(whole.scopes).toEqual(presets[preset]);
  const { status, body } = await create({ preset, tenant: 'acme' });
  expect([status, body.data.scopes]).toEqual([201, presets[preset].filter((scope) => !['metrics:read', 'limits:read'].includes(scope))]);
});

it('records when a key was last used', async () => {
  const key = await createKey(service);
  expect((await read(key)).last_used_at).toBeNull();
  await key.api('GET', `${root}/all`);
  expect(Date.parse(await until(async () => (await read(key)).last_used_at))).toBeGreaterThan(Date.now() - 60_000);
});

it('changes only the given fields', async () => {
  const key = await createKey(service, { tenant: 'acme', allowed_networks: ['10.0.0.0/8'], expires_at: '2999-01-01T00:00:00Z' });
  const before = await read(key);
  const { status, body } = await service.api('PATCH', at(key), { name: 'New', scopes: ['people:read'], allowed_networks: null });
  expect([status, body.data]).toEqual([200, { ...before, name: 'New', scopes: ['people:read'], allowed_networks: null }]);
  const [entry] = await readAuditLog(service, { action: 'api_key.updated', target: key.id });
  expect(entry).toMatchObject({
    targets: [{ type: 'api_key', id: key.id, tenant: 'acme' }],
    changes: { name: { from: 'test', to: 'New' }, allowed_networks: { from: ['10.0.0.0/8'], to: null } },
  });
  expect((await service.api('PATCH', at(key), { tenant: 'other' })).status).toBe(400);
});

it('rotates: both values work for the overlap, then only the new one', async () => {
  const key = await createKey(service);
  const rotated = await service.api('POST', `${at(key)}/rotate`, { overlap_seconds: 3_600 });
  expect(rotated).toMatchObject({ status: 200, body: { data: { id: key.id, prefix: rotated.body.data.key.slice(0, 12) } } });
  expect(Date.parse(rotated.body.data.previous_valid_until)).toBeGreaterThan(Date.now() + 3_500_000);
  expect([await statusOf(key.key), await statusOf(rotated.body.data.key)]).toEqual([200, 200]);

  const again = await service.api('POST', `${at(key)}/rotate`, { overlap_seconds: 0 });
  expect(again.body.data.previous_valid_until).toBeNull();
  const values = [key.key, rotated.body.data.key, again.body.data.key];
  expect(await Promise.all(values.map(statusOf))).toEqual([401, 401, 200]);
});

it('revokes a key, which stays in the list', async () => {
  const key = await createKey(service);
  expect(await statusOf(key.key)).toBe(200);
  const { status, body } = await service.api('DELETE', at(key));
  expect([status, body.data.revoked_at]).toEqual([200, expect.any(String)]);
  expect(await statusOf(key.key)).toBe(401);
  // When the key was used is written later.
  expect((await service.api('DELETE', at(key))).body.data).toMatchObject({ id: key.id, revoked_at: body.data.revoked_at });
  expect(await readAuditLog(service, { action: 'api_key.revoked', target: key.id })).toHaveLength(1);
  for (const [method, path] of [
    ['PATCH', at(key)],
    ['POST', `${at(key)}/rotate`],
  ] as const)
    expect((await service.api(method, path, {})).status).toBe(400);
});

it('works only until it expires, and only from its networks', async () => {
  const key = await createKey(service, { expires_at: '2999-01-01T00:00:00Z', allowed_networks: ['127.0.0.0/8', '::1/128'] });
  expect(await statusOf(key.key)).toBe(200);
  await service.api('PATCH', at(key), { allowed_networks: ['192.0.2.0/24'] });
  expect(await statusOf(key.key)).toBe(403);
  await service.api('PATCH', at(key), { allowed_networks: null, expires_at: new Date(Date.now() + 300).toISOString() });
  await until(async () => (await statusOf(key.key)) === 401);
});

it('is named in the audit log by what it does', async () => {
  const key = await createKey(service, { name: 'Provisioning', preset: 'application' });
  const tenant = randomUUID();
  const { body } = await key.api('POST', root, { tenant, product: 'app' });
  expect(await readAuditLog(service, { directory_id: body.data.id })).toMatchObject([
    { action: 'directory.created', actor: { type: 'api_key', id: key.id, name: 'Provisioning' } },
  ]);
  expect(await readAuditLog(service, { actor: key.id })).toHaveLength(1);
});

it('cannot erase people with the preset of an application', async () => {
  const key = await createKey(service, { preset: 'application' });
  const { id } = await service.createDirectory();
  const { status, body } = await key.api('POST', `${root}/${id}/users/${randomUUID()}/erase`);
  expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
});

const rights = {
  more_scopes: { scopes: ['people:read', 'people:write'] },
  later_end: { expires_at: '2999-01-02T00:00:00Z' },
  no_end: { expires_at: null },
  more_networks: { allowed_networks: ['10.0.0.0/8'] },
  all_networks: { allowed_networks: null },
  networks_of_other_kind: { allowed_networks: ['::/0'] },
};

const inheritedFields: Record<string, object> = {
  no_end: { expires_at: '2999-01-01T00:00:00.000Z' },
  all_networks: { allowed_networks: ['127.0.0.0/8', '::1/128'] },
};

const hostile = (fields: object = {}): Promise<TestKey> =>
  createKey(service, {
    scopes: ['keys:write', 'people:read'],
    allowed_networks: ['127.0.0.0/8', '::1/128'],
    expires_at: '2999-01-01T00:00:00Z',
    ...fields,
  });
const own = { scopes: ['people:read'] as Scope[], allowed_networks: ['127.0.0.1/32'], expires_at: '2998-01-01T00:00:00Z' };

it.each(Object.entries(rights))('no key grants another key, or itself, more rights than its own: %s', async (name, more) => {
  const key = await hostile();
  const created = await key.api('POST', keysPath, { name: 'a', ...own, ...more });
  // A null field inherits the limit of the creating key.
  const expected = inheritedFields[name] ?? {};
  expect(created).toMatchObject({ status: name in inheritedFields ? 201 : 403, body: { data: name in inheritedFields ? expected : null } });
  const child = await createKey(service, own, key.api);
  for (const { id } of [child, key]) expect((await key.api('PATCH', at({ id }), more)).status).toBe(403);

  const stronger = await createKey(service, { ...own, ...more });
  const attempts = [
    await key.api('PATCH', at(stronger), own),
    await key.api('POST', `${at(stronger)}/rotate`),
    ...(name === 'more_scopes' ? [await key.api('DELETE', at(stronger))] : []),
  ];
  expect(attempts.map(({ status }) => status)).toEqual(attempts.map(() => 403));
  expect(await read(stronger)).toMatchObject({ revoked_at: null, prefix: stronger.key.slice(0, 12) });
});

it('a narrowed key creates only keys that are narrowed at least as far', async () => {
  const key = await hostile({ scopes: ['keys:write', ...scopes.filter((scope) => scope.startsWith('people'))], tenant: 'acme' });
  const inherited = await createKey(service, own, key.api);
  expect(await read(inherited)).toMatchObject({ tenant: 'acme', product: null });
  const further = await createKey(service, { ...own, product: 'app' }, key.api);
  expect(await read(further)).toMatchObject({ tenant: 'acme', product: 'app' });
  expect((await key.api('POST', keysPath, { name: 'a', ...own, tenant: 'other' })).body.error).toMatchObject({
    code: 'key_narrowed',
    field: 'tenant',
  });
});

it('a key for a directory is narrowed to its tenant and product too', async () => {
  const { id } = await service.createDirectory({ tenant: 'acme', product: 'crm' });
  const key = await createKey(service, { directory_id: id });
  expect(await read(key)).toMatchObject({ tenant: 'acme', product: 'crm', directory_id: id });
  expect((await create({ directory_id: id, tenant: 'other', preset: 'support' })).status).toBe(404);
});

it('shows a narrowed caller only acts on keys of its tenant', async () => {
  const [tenant, other] = [randomUUID(), randomUUID()];
  const auditor = await createKey(service, { scopes: ['audit:read'], tenant });
  const key = await createKey(service, { tenant, product: 'app' });
  await createKey(service, { tenant: other });
  const { body } = await auditor.api('GET', '/api/v1/audit-log?order=asc');
  expect(body.data.map(({ targets }: { targets: { id: string }[] }) => targets[0]!.id)).toEqual([auditor.id, key.id]);
});

it('accepts IDs in upper case, and responds with 404 to invalid ones', async () => {
  const { id } = await createKey(service);
  expect((await service.api('GET', `${keysPath}/${id.toUpperCase()}`)).body.data.id).toBe(id);
  for (const unknown of ['x', apiKey, '01a1fd46-beef-7978-b244-a1855f394770'])
    expect((await service.api('GET', `${keysPath}/${unknown}`)).status).toBe(404);
});
