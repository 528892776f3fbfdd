import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createLink, linksPath, webhook } from '../support/setup-links.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { deliver: false });
});
afterAll(() => service.stop());

const described = ({ status, body }: { status: number; body: { error: { code: string; message: string } } }) => [
  status,
  body.error.code,
  body.error.message,
];
const newOwner = () => ({ tenant: `t-${randomUUID()}`, product: `p-${randomUUID()}` });

it.each([
  [{ tenant: 'a:b' }, 'tenant must not contain the character “:”.'],
  [{ expiryDays: 366 }, 'expiryDays may be at most 365.'],
  [{ expiryDays: '3' }, 'expiryDays must be a number of days.'],
  [
    { return_url: 'javascript:alert(1)' },
    'return_url must be an https address like https://app.example/settings, or http on this machine, without a user name or password.',
  ],
  [{ admin_emails: ['ada'] }, 'admin_emails.0 must be email addresses.'],
  [{ roles: ['a', 'b', 'a'] }, 'roles must not have an entry twice.'],
  [{ roles: [' '] }, 'roles.0 must not be empty.'],
  [{ roles: 'admin' }, 'roles must be a list.'],
  [{ revoke_on_completion: 'yes' }, 'revoke_on_completion must be true or false.'],
])('%j', async (fields, message) => {
  const { status, body } = await service.api('POST', linksPath, { ...newOwner(), ...webhook, ...fields });
  expect([status, body.error.message]).toEqual([400, message]);
});

it('reports what a narrowed key may not create', async () => {
  const { id } = await service.createDirectory();
  for (const [narrowed, message] of [
    [{ directory_id: id }, 'This API key is narrowed to one directory: it cannot create setup links.'],
    [{ tenant: 'another' }, 'This API key is narrowed to another tenant: it cannot create this setup link.'],
    [{ product: 'another' }, 'This API key is narrowed to another product: it cannot create this setup link.'],
  ] as const) {
    const key = await createKey(service, { scopes: ['setup_links:write', 'directories:write'], ...narrowed });
    const { status, body } = await key.api('POST', linksPath, { ...newOwner(), ...webhook });
    expect([status, body.error.code, body.error.message]).toEqual([403, 'key_narrowed', message]);
  }
});

it('reports which scope a link requires', async () => {
  const key = await createKey(service, { scopes: ['setup_links:write', 'directories:delete'] });
  const { status, body } = await key.api('POST', linksPath, { ...newOwner(), ...webhook });
  expect([status, body.error.code, body.error.message]).toEqual([
    403,
    'insufficient_scope',
    'This API key lacks the scope directories:write, which creating a setup link requires.',
  ]);
});

it('the number of links is limited, in all and per tenant, unless some have expired', async () => {
  const fill = (count: number, tenant: string) =>
    service.db.raw(
      `insert into setup_links (id, place, token_hash, tenant, product, sealed, revoke_on_completion, may_delete, created_by, expires_at)
       select gen_random_uuid(), gen_random_uuid(), decode(md5(random()::text), 'hex'), :tenant, 'app', '', false, false, '{}', now() + interval '1 day'
       from generate_series(1, :count)`,
      { count, tenant },
    );
  const { api } = await createKey(service, { scopes: ['setup_links:write', 'directories:write'], tenant: 'crowded' });
  const create = (product: string) => api('POST', linksPath, { tenant: 'crowded', product, ...webhook });
  await fill(999, 'crowded');
  expect((await create('a')).status).toBe(201);
  expect(described(await create('b'))).toEqual([
    400,
    'invalid_request',
    'The tenant or product of this API key may have at most 1000 setup links that are valid (fixed limit): revoke one first.',
  ]);
  await service
    .db('setup_links')
    .where({ tenant: 'crowded', product: 'a' })
    .update({ expires_at: new Date(0) });
  expect((await create('b')).status).toBe(201);
  await fill(9_000, 'another');
  expect(described(await service.api('POST', linksPath, { ...newOwner(), ...webhook }))).toEqual([
    400,
    'invalid_request',
    'Rollcall may have at most 10000 setup links that are valid (fixed limit): revoke one first.',
  ]);
  await service.db('setup_links').whereIn('tenant', ['crowded', 'another']).delete();
});

it('reports what a link does not allow', async () => {
  const { token } = await createLink(service, { provider: 'okta-scim-v2' });
  const creator = await createKey(service, { scopes: ['setup_links:write', 'directories:write'] });
  const ofCreator = await createLink(creator);
  const send = async (method: string, path: string, { body, headers }: { body?: object; headers?: object } = {}) => {
    const response = await fetch(`${service.baseUrl}/api/setup/${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data, error } = (await response.json()) as { data: { id: string } | null; error: { message: string } | null };
    return { id: data?.id, message: error?.message };
  };
  const create = (type: string, headers: object = {}, its = token) => send('POST', `${its}/directory-sync`, { body: { type }, headers });
  const { id } = await create('okta-scim-v2', {}, ofCreator.token);
  const responses = [
    await create('google'),
    await create('google', {}, ofCreator.token),
    await create('okta-scim-v2', { 'sec-fetch-site': 'cross-site' }),
    await send('DELETE', `${ofCreator.token}/directory-sync/${id}`),
  ];
  expect(responses.map(({ message }) => message)).toEqual([
    'This setup link is for another provider.',
    'No Google client is configured: choose another provider.',
    'This request comes from another site.',
    'This setup link cannot delete directories, because its creator could not.',
  ]);
});
