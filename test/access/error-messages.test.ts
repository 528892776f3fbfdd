import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createKeyValue } from '../../src/access/key-value.ts';
import { createKey, keysPath, type TestKey, withKey } from '../support/api-keys.ts';
import { root } from '../support/operate.ts';
import { apiKey, startTestService, type ServiceResponse, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The error messages about API keys. Other tests compare `code` and `field`. */

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ AUTH_FAILURES_PER_SOURCE: '100000' }, { deliver: false });
});
afterAll(() => service.stop());

const described = ({ status, body }: ServiceResponse) => [
  [status, body.error.code, body.error.field].filter(Boolean).join(' '),
  body.error.message,
];
const read = (key: string) => withKey(service, key)('GET', `${root}/all`);
const expired = (key: string) => until(async () => (await read(key)).status === 401);

async function createExpired(): Promise<TestKey> {
  const key = await createKey(service, { expires_at: new Date(Date.now() + 500).toISOString() });
  await expired(key.key);
  return key;
}

describe('a key that is rejected', () => {
  const given: Record<string, () => Promise<string>> = {
    'of another service': () => Promise.resolve(createKeyValue()),
    mistyped: async () => (await createKey(service)).key.slice(0, -1),
    revoked: async () => {
      const { id, key } = await createKey(service);
      await service.api('DELETE', `${keysPath}/${id}`);
      return key;
    },
    expired: async () => (await createExpired()).key,
    rotated: async () => {
      const { id, key } = await createKey(service);
      await service.api('POST', `${keysPath}/${id}/rotate`, { overlap_seconds: 0 });
      return key;
    },
    'from another network': async () => (await createKey(service, { allowed_networks: ['192.0.2.0/24'] })).key,
  };
  it.each([
    ['of another service', '401 unauthorized', 'Invalid API key. Send `Authorization: Api-Key <key>`.'],
    [
      'mistyped',
      '401 key_malformed',
      'This API key is incomplete or mistyped: its checksum does not match. Copy the whole key, from rcl_ on.',
    ],
    ['revoked', '401 key_revoked', 'This API key was revoked: use another one.'],
    ['expired', '401 key_expired', 'This API key has expired: use another one.'],
    ['rotated', '401 key_expired', 'This API key was rotated and its overlap has ended: use its new value.'],
    ['from another network', '403 key_network', 'This API key cannot be used from this address: see its allowed_networks.'],
  ])('gets its error message: %s', async (name, error, message) => {
    const response = await read(await given[name]!());
    expect(described(response)).toEqual([error, message]);
    expect(response.headers.get('www-authenticate')).toBe('Api-Key');
  });

  it('gets an error message if it is missing', async () => {
    expect(described(await read(''))).toEqual(['401 unauthorized', 'Missing API key. Send `Authorization: Api-Key <key>`.']);
  });
});

const ownServiceAccount =
  "This API key is narrowed: it cannot let a directory use the deployment's service account. Send google_service_account_key with google_admin_email.";

it.each<[fields: object, line: string, error: string, message: string]>([
  [
    { scopes: ['people:read'] },
    `GET ${root}/all`,
    '403 insufficient_scope',
    'This API key lacks the scope directories:read, which this operation requires.',
  ],
  [
    { preset: 'admin', tenant: 'acme' },
    'GET /api/v1/audit-log/chain',
    '403 key_narrowed',
    'This operation works for the whole service: it requires an API key that is not narrowed to a tenant, product or directory.',
  ],
  [
    { preset: 'admin', tenant: 'acme' },
    `POST ${root} {"tenant":"other","product":"app"}`,
    '403 key_narrowed tenant',
    'This API key is narrowed to another tenant: it cannot create this directory.',
  ],
  [
    { preset: 'admin', tenant: 'acme' },
    `POST ${root} {"tenant":"acme","product":"app","type":"google","google_admin_email":"admin@victim.example"}`,
    '403 key_narrowed google_service_account_key',
    ownServiceAccount,
  ],
  [
    { preset: 'admin', tenant: 'acme' },
    `GET ${root}/01a1fd46-beef-7978-b244-a1855f394770`,
    '404 not_found',
    'There is no directory with this ID.',
  ],
])('a key with %j cannot %s', async (fields, line, error, message) => {
  const [method, path, body] = line.split(' ') as [string, string, string?];
  const { api } = await createKey(service, fields);
  expect(described(await api(method, path, body && JSON.parse(body)))).toEqual([error, message]);
});

it.each([
  { google_admin_email: 'admin@victim.example' },
  { google_admin_email: 'admin@victim.example', google_service_account_key: '' },
  { google_service_account_key: '' },
])("a narrowed key cannot let its directory use the deployment's service account: %j", async (change) => {
  const { id } = await service.createDirectory({ type: 'google' });
  const { api } = await createKey(service, { preset: 'admin', tenant: 'acme' });
  expect(described(await api('PATCH', `${root}/${id}`, change))).toEqual([
    '403 key_narrowed google_service_account_key',
    ownServiceAccount,
  ]);
  const own = { google_admin_email: 'admin@acme.example', google_service_account_key: '{"client_email":"a","private_key":"b"}' };
  expect((await api('PATCH', `${root}/${id}`, own)).status).toBe(200);
  expect((await api('PATCH', `${root}/${id}`, { google_admin_email: '', google_service_account_key: '' })).status).toBe(200);
});

it('a narrowed key cannot set the Entra tenant that its directory reads', async () => {
  const { api } = await createKey(service, { preset: 'admin', tenant: 'acme' });
  const message =
    'This API key is narrowed: it cannot set the tenant that a directory reads. Let an administrator give consent at entra_authorization_url.';
  const fields = { tenant: 'acme', product: 'app', type: 'entra' };
  const victim = { entra_tenant_id: '11111111-2222-4333-8444-555555555555' };
  expect(described(await api('POST', root, { ...fields, ...victim }))).toEqual(['403 key_narrowed entra_tenant_id', message]);
  const { status, body } = await api('POST', root, fields);
  expect(status).toBe(201);
  const path = `${root}/${body.data.id}`;
  expect(described(await api('PATCH', path, victim))).toEqual(['403 key_narrowed entra_tenant_id', message]);
  expect((await api('PATCH', path, { entra_tenant_id: '' })).status).toBe(200);
  expect(described(await api('POST', `${path}/entra/tenant`, { tenant: victim.entra_tenant_id, state: 'any' }))).toEqual([
    '403 key_narrowed tenant',
    message,
  ]);
  expect((await service.api('PATCH', path, victim)).status).toBe(200);
  expect((await api('PATCH', path, { entra_tenant_id: victim.entra_tenant_id.toUpperCase(), name: 'Same' })).status).toBe(200);
  expect(described(await api('PATCH', path, { entra_tenant_id: '' }))).toEqual(['403 key_narrowed entra_tenant_id', message]);
});

it('a key that is narrowed to a directory cannot create one', async () => {
  const { id } = await service.createDirectory();
  const { api } = await createKey(service, { preset: 'admin', directory_id: id });
  expect(described(await api('POST', root, { tenant: 'acme', product: 'app' }))).toEqual([
    '403 key_narrowed',
    'This API key is narrowed to one directory: it cannot create another one.',
  ]);
});

const scopeNames =
  'directories:read, directories:write, directories:delete, secrets:read, people:read, people:write, events:read, deliveries:read, deliveries:write, syncs:read, syncs:write, files:write, setup_links:write, keys:write, audit:read, metrics:read, limits:read';

it.each<[fields: object, error: string, message: string]>([
  [{ name: undefined }, 'name', 'name is required.'],
  [{ name: ' ' }, 'name', 'name must not be empty.'],
  [{ scopes: undefined }, 'scopes', 'Specify either scopes or preset.'],
  [{ preset: 'admin' }, 'scopes', 'Specify either scopes or preset.'],
  [{ scopes: [] }, 'scopes', 'scopes must not be empty.'],
  [{ scopes: 'people:read' }, 'scopes', 'scopes must be a list.'],
  [{ scopes: ['people:read', 'all'] }, 'scopes.1', `scopes.1 must be from ${scopeNames}.`],
  [{ scopes: Array.from({ length: 18 }, () => 'people:read') }, 'scopes', 'scopes may have at most 17 entries.'],
  [{ scopes: undefined, preset: 'root' }, 'preset', 'preset must be one of admin, application, read-only, support.'],
  [{ tenant: '' }, 'tenant', 'tenant must not be empty.'],
  [{ tenant_id: 'acme' }, 'tenant_id', 'Unknown field tenant_id.'],
  [{ directory_id: 'x' }, 'directory_id', 'There is no directory with this ID.'],
  [{ allowed_networks: [] }, 'allowed_networks', 'allowed_networks must not be empty; null allows all networks.'],
  [{ allowed_networks: ['10.0.0.1'] }, 'allowed_networks.0', 'allowed_networks.0 must be networks like 203.0.113.0/24 or 2001:db8::/32.'],
  [{ allowed_networks: Array.from({ length: 51 }, () => '::/0') }, 'allowed_networks', 'allowed_networks may have at most 50 entries.'],
  [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'expires_at must not be past.'],
  [{ expires_at: 'soon' }, 'expires_at', 'expires_at must be a time like 2027-11-21T08:43:54Z.'],
  [
    { scopes: ['metrics:read'], tenant: 'acme' },
    'scopes',
    'scopes must not contain metrics:read, because the key is narrowed and metrics:read is for the whole service.',
  ],
])('a new key with %j fails', async (fields, field, message) => {
  const response = await service.api('POST', keysPath, { name: 'test', scopes: ['people:read'], ...fields });
  const error = field === 'directory_id' ? '404 not_found' : '400 invalid_request';
  expect(described(response)).toEqual([`${error} ${field}`, message]);
});

const more = 'This API key cannot create or change a key with more rights than its own: one that';
it.each<[fields: object, error: string, message: string]>([
  [{ scopes: ['people:write'] }, '403 insufficient_scope scopes', `${more} has the scope people:write.`],
  [{ expires_at: '2999-01-02T00:00:00Z' }, '403 insufficient_scope expires_at', `${more} expires later.`],
  [{ allowed_networks: ['10.0.0.0/8'] }, '403 insufficient_scope allowed_networks', `${more} works in more networks.`],
  [{ tenant: 'other' }, '403 key_narrowed tenant', 'This API key is narrowed to another tenant: a key that it creates must have the same.'],
  [
    { product: 'other' },
    '403 key_narrowed product',
    'This API key is narrowed to another product: a key that it creates must have the same.',
  ],
])('no key creates one with %j', async (fields, error, message) => {
  const limits = { tenant: 'acme', product: 'app', expires_at: '2999-01-01T00:00:00Z', allowed_networks: ['127.0.0.0/8', '::1/128'] };
  const { api } = await createKey(service, { scopes: ['keys:write', 'people:read'], ...limits });
  expect(described(await api('POST', keysPath, { name: 'test', scopes: ['people:read'], ...fields }))).toEqual([error, message]);
});

it('a key that cannot be changed says why', async () => {
  const revoked = await createKey(service);
  await service.api('DELETE', `${keysPath}/${revoked.id}`);
  const old = await createExpired();
  const requests: [string, string, unknown?][] = [
    ['PATCH', revoked.id, { name: 'a' }],
    ['PATCH', old.id, { tenant: 'acme' }],
    ['POST', `${revoked.id}/rotate`],
    ['POST', `${old.id}/rotate`],
    ['GET', '01a1fd46-beef-7978-b244-a1855f394770'],
  ];
  const responses = requests.map(async ([method, path, body]) => described(await service.api(method, `${keysPath}/${path}`, body)));
  expect(await Promise.all(responses)).toEqual([
    ['400 invalid_request', 'This key is revoked: create another one.'],
    ['400 invalid_request tenant', 'tenant is fixed: create another API key instead.'],
    ['400 invalid_request', 'This key is revoked: create another one.'],
    ['400 invalid_request', 'This key has expired: change its expires_at first.'],
    ['404 not_found', 'There is no API key with this ID.'],
  ]);
});

it('the number of keys is limited, in all and per tenant', async () => {
  const fill = (count: number, tenant: string | null) =>
    service.db.raw(
      `insert into api_keys (id, name, scopes, tenant, created_by)
       select gen_random_uuid(), 'filled', '{people:read}', :tenant, 'root_1' from generate_series(1, :count)`,
      { count, tenant },
    );
  const { api } = await createKey(service, { scopes: ['keys:write', 'people:read'], tenant: 'crowded' });
  const request = { name: 'test', scopes: ['people:read'] };
  await fill(98, 'crowded');
  expect((await api('POST', keysPath, request)).status).toBe(201);
  expect(described(await api('POST', keysPath, request))).toEqual([
    '400 invalid_request',
    'The tenant, product or directory of this API key may have at most 100 API keys that are not revoked (fixed limit): revoke one first.',
  ]);
  expect((await withKey(service, apiKey)('POST', keysPath, { ...request, tenant: 'crowded' })).status).toBe(201);
  await fill(10_000, null);
  expect(described(await service.api('POST', keysPath, request))).toEqual([
    '400 invalid_request',
    'Rollcall may have at most 10000 API keys that are not revoked (fixed limit): revoke one first.',
  ]);
});
