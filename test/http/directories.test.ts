import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ EXTERNAL_URL: 'https://sync.example.com' }, { deliver: false });
});
afterAll(() => service.stop());

const root = '/api/v1/directory-sync';
const create = (body: unknown) => service.api('POST', root, body);
const change = (id: string, body: unknown) => service.api('PATCH', `${root}/${id}`, body);

describe('creating a directory', () => {
  it('accepts flat webhook fields and returns them nested, with the SCIM address', async () => {
    const { status, body } = await create({
      name: 'Acme',
      tenant: 'acme',
      product: 'app',
      type: 'okta-scim-v2',
      webhook_url: 'https://app.example.com/hook',
      webhook_secret: 'shared-with-the-app',
    });
    expect(status).toBe(201);
    const { id, scim } = body.data;
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'Acme',
        tenant: 'acme',
        product: 'app',
        type: 'okta-scim-v2',
        log_webhook_events: false,
        user_state_events: false,
        inactive_users: 'keep',
        on_directory_delete: 'silent',
        deactivated: false,
        state: 'active',
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        updated_at: body.data.created_at,
        accept_scim_secret: true,
        scim: {
          path: `/api/scim/v2.0/${id}`,
          endpoint: `https://sync.example.com/api/scim/v2.0/${id}`,
          secret: expect.stringMatching(/^[\w-]{32}$/),
        },
        webhook: { endpoint: 'https://app.example.com/hook', secret: 'shared-with-the-app' },
      },
      error: null,
    });
    const { health, ...read } = (await service.api('GET', `${root}/${id}`)).body.data;
    expect([read, health.users]).toEqual([body.data, 0]);
    expect(scim.secret).not.toBe((await create({ tenant: 'acme', product: 'app' })).body.data.scim.secret);
  });

  it('has defaults for name, type and webhook secret', async () => {
    const { body } = await create({ tenant: 'acme', product: 'app', webhook_url: 'https://app.example.com/' });
    expect(body.data).toMatchObject({ name: 'scim-acme-app', type: 'generic-scim-v2' });
    expect(body.data.webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await create({ tenant: 'acme', product: 'app' })).body.data.webhook).toEqual({ endpoint: '', secret: '' });
  });

  it('accepts a directory as it is returned, deactivated and with a nested webhook', async () => {
    const webhook = { endpoint: 'https://app.example.com/hook', secret: 'shared-with-the-app' };
    const made = (await create({ tenant: 'acme', product: 'app', webhook, deactivated: true, log_webhook_events: 'true' })).body.data;
    expect(made).toMatchObject({ webhook, deactivated: true, log_webhook_events: true });
    const again = (await create(made)).body.data;
    const { id, scim, created_at: createdAt, updated_at: updatedAt } = again;
    expect(again).toEqual({ ...made, id, scim, created_at: createdAt, updated_at: updatedAt });
    expect([again.id === made.id, again.scim.secret === made.scim.secret]).toEqual([false, false]);
    const silent = (await create({ tenant: 'acme', product: 'app' })).body.data;
    expect((await create(silent)).body.data.webhook).toEqual({ endpoint: '', secret: '' });
  });

  it("returns an address with Entra's compatibility flag for the azure type", async () => {
    const { scim, id } = (await create({ tenant: 'acme', product: 'app', type: 'azure-scim-v2' })).body.data;
    expect(scim.endpoint).toBe(`https://sync.example.com/api/scim/v2.0/${id}/?aadOptscim062020`);
  });

  it('returns provider fields and no SCIM address for a pulled directory', async () => {
    const { body } = await create({ tenant: 'acme', product: 'app', type: 'google', google_domain: 'acme.com', google_access_token: 'a' });
    expect(body.data).toMatchObject({ google_domain: 'acme.com', google_access_token: 'a', google_refresh_token: '' });
    expect(body.data.scim).toEqual({ path: '', endpoint: '', secret: '' });
  });

  it.each([
    ['tenant', { product: 'app' }],
    ['tenant', { tenant: 'a:b', product: 'app' }],
    ['product', { tenant: 'acme', product: ' ' }],
    ['tenant', { tenant: 7, product: 'app' }],
    ['tenant', { tenant: 'a\0', product: 'app' }],
    ['type', { tenant: 'acme', product: 'app', type: 'ldap' }],
    ['webhook_url', { tenant: 'acme', product: 'app', webhook_url: 'ftp://x' }],
    ['webhook_url', { tenant: 'acme', product: 'app', webhook_url: 'https://user:pass@x.com' }],
    ['webhook_url', { tenant: 'acme', product: 'app', webhook_url: 'http://169.254.169.254/x' }],
    ['webhook_url', { tenant: 'acme', product: 'app', webhook_url: 'http://2852039166/' }],
    ['webhook', { tenant: 'acme', product: 'app', webhook: 'https://x.com' }],
    ['webhook.endpoint', { tenant: 'acme', product: 'app', webhook: { endpoint: 'ftp://x' } }],
    ['deactivated', { tenant: 'acme', product: 'app', deactivated: 'no' }],
    ['webhok_url', { tenant: 'acme', product: 'app', webhok_url: 'https://x.com' }],
    ['tennant', { tennant: 'acme', product: 'app' }],
    ['webhook.endpont', { tenant: 'acme', product: 'app', webhook: { endpont: 'x' } }],
    ['google_domain', { tenant: 'acme', product: 'app', google_domain: 'x' }],
  ])('names the invalid field %s: %j', async (field, body) => {
    const { status, body: response } = await create(body);
    expect([status, response.data, response.error.code, response.error.field]).toEqual([400, null, 'invalid_request', field]);
  });
});

const list = async (query: string, path = root) => {
  const { body } = await service.api('GET', `${path}?tenant=lister&product=app${query}`);
  return body.data.map(({ id }: { id: string }) => id);
};

describe('listing directories', () => {
  it('lists those of a tenant and product, newest first, by page and at both prefixes', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await create({ tenant: 'lister', product: 'app' })).body.data.id);
    await create({ tenant: 'lister', product: 'other' });
    expect(await list('')).toEqual(ids);
    expect(await list('&pageOffset=1&pageLimit=1')).toEqual([ids[1]]);
    expect(await list('&offset=2&limit=0')).toEqual([ids[2]]);
    expect(await list('', '/api/v1/dsync')).toEqual(ids);
  });

  it('lists those of all tenants and products, by page', async () => {
    const first = (await create({ tenant: 'one', product: 'here' })).body.data.id;
    const next = (await create({ tenant: 'other', product: 'there' })).body.data.id;
    const read = async (query: string, path = `${root}/all`) =>
      (await service.api('GET', `${path}${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await read('?pageLimit=2')).toEqual([next, first]);
    expect(await read('?pageOffset=1&pageLimit=1', '/api/v1/dsync/all')).toEqual([first]);
    await service.api('DELETE', `${root}/${next}`);
    const stored = await service.db('directories').select<{ id: string }[]>('id').orderBy('id', 'desc');
    expect(await read('')).toEqual(stored.map(({ id }) => id));
    expect(stored[0]!.id).toBe(first);
    expect((await service.api('GET', `${root}/all`, undefined, { authorization: 'Api-Key wrong' })).status).toBe(401);
  });

  it('requires tenant and product', async () => {
    const { status, body } = await service.api('GET', `${root}?tenant=acme`);
    expect([status, body.error.message]).toEqual([400, 'product is required.']);
    expect((await service.api('GET', `${root}?tenant=a%00&product=b`)).status).toBe(400);
    expect((await service.api('GET', `${root}?tenant=a&product=b&offset=-1`)).body.error.field).toBe('offset');
  });
});

describe('updating a directory', () => {
  it('changes the given fields and keeps the others', async () => {
    const { id, scim } = (await create({ tenant: 'acme', product: 'app' })).body.data;
    const { status, body } = await change(id, { name: 'New', log_webhook_events: true, deactivated: 'true' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id, name: 'New', log_webhook_events: true, deactivated: true, scim });
    expect((await change(id, { deactivated: 'false' })).body.data).toMatchObject({ name: 'New', deactivated: false });
  });

  it('sets, keeps and removes the webhook', async () => {
    const { id } = (await create({ tenant: 'acme', product: 'app' })).body.data;
    const first = (await change(id, { webhook_url: 'https://a.example.com/' })).body.data.webhook;
    expect(first).toEqual({ endpoint: 'https://a.example.com/', secret: expect.stringMatching(/^whsec_/) });
    expect((await change(id, { webhook_url: 'https://b.example.com/' })).body.data.webhook).toEqual({
      ...first,
      endpoint: 'https://b.example.com/',
    });
    expect((await change(id, { webhook_secret: 'mine' })).body.data.webhook).toEqual({
      endpoint: 'https://b.example.com/',
      secret: 'mine',
    });
    expect((await change(id, { webhook_url: '' })).body.data.webhook).toEqual({ endpoint: '', secret: '' });
  });

  it('keeps a webhook secret that comes before the address', async () => {
    const early = (await create({ tenant: 'acme', product: 'app', webhook_secret: 'a secret of Polis' })).body.data;
    const unused = { code: 'unused_webhook_secret', field: 'webhook_secret', message: expect.stringContaining('webhook_url') };
    expect([early.webhook, early.warnings]).toEqual([{ endpoint: '', secret: 'a secret of Polis' }, [unused]]);
    expect((await change(early.id, { webhook_url: 'https://a.example.com/' })).body.data.webhook).toEqual({
      endpoint: 'https://a.example.com/',
      secret: 'a secret of Polis',
    });
    const late = await change(early.id, { webhook_url: '', webhook_secret: 'another one of Polis' });
    expect([late.body.data.webhook, late.body.data.warnings]).toEqual([{ endpoint: '', secret: 'another one of Polis' }, [unused]]);
    expect((await change(early.id, { webhook_secret: '' })).body.data.webhook).toEqual({ endpoint: '', secret: '' });
  });

  it('takes an empty webhook secret for none, and says so', async () => {
    const webhook_url = 'https://a.example.com/';
    const { id, webhook, warnings } = (await create({ tenant: 'acme', product: 'app', webhook_url, webhook_secret: '' })).body.data;
    expect([webhook, warnings]).toEqual([
      { endpoint: webhook_url, secret: expect.stringMatching(/^whsec_.{44}$/) },
      [emptySecret('webhook_secret')],
    ]);
    const again = (await change(id, { webhook: { endpoint: webhook_url, secret: '' } })).body.data;
    expect([again.webhook, again.warnings]).toEqual([webhook, [emptySecret('webhook.secret')]]);
  });

  it.each([
    [{ name: null, webhook_url: null, webhook_secret: null }],
    [{ name: '', webhook_url: '', webhook_secret: '' }],
    [{ name: ' ', webhook: null }],
    [{ name: null, webhook: { endpoint: null, secret: null } }],
  ])('takes %j as Polis does', async (fields) => {
    const { status, body } = await create({ tenant: 'acme', product: 'app', ...fields });
    expect([status, body.data.name, body.data.webhook, body.data.warnings]).toEqual([
      201,
      'scim-acme-app',
      { endpoint: '', secret: '' },
      undefined,
    ]);
    const { id } = (await create({ tenant: 'acme', product: 'app', name: 'Acme', webhook_url: 'https://a.example.com/' })).body.data;
    const changed = await change(id, fields);
    expect([changed.status, changed.body.data.name, changed.body.data.warnings]).toEqual([200, 'scim-acme-app', undefined]);
    if ('webhook' in fields && fields.webhook === null) return;
    expect(changed.body.data.webhook).toEqual({ endpoint: '', secret: '' });
  });

  it('ignores unknown fields and names them in warnings, except those of a response', async () => {
    const webhook = { endpoint: 'https://a.example.com/', secret: 'a secret of Polis', retries: 3 };
    const made = (await create({ tenant: 'acme', product: 'app', idp: 'okta', webhook })).body.data;
    expect(made.warnings).toEqual([unknownField('idp'), unknownField('webhook.retries')]);
    const read = (await service.api('GET', `${root}/${made.id}`)).body.data;
    expect((await change(made.id, read)).body.data).not.toHaveProperty('warnings');
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}${'x'.repeat(200)}`, 1]));
    const { warnings } = (await change(made.id, many)).body.data as { warnings: { field: string }[] };
    expect([warnings.length, warnings[0]!.field.length]).toEqual([20, 100]);
  });

  it('names a webhook secret that is too short in warnings, and accepts it as Polis does', async () => {
    const webhook_url = 'https://a.example.com/';
    const { data } = (await create({ tenant: 'acme', product: 'app', webhook_url, webhook_secret: 'fifteen-letters' })).body;
    expect([data.webhook.secret, data.warnings]).toEqual(['fifteen-letters', [warning('webhook_secret', 15)]]);
    expect((await service.api('GET', `${root}/${data.id}`)).body.data).not.toHaveProperty('warnings');
    const again = await change(data.id, { webhook: { endpoint: webhook_url, secret: 'whsec_abcdefgh' } });
    expect(again.body.data.warnings).toEqual([warning('webhook.secret', 8)]);
    const rotate = (secret?: string) => service.api('POST', `${root}/${data.id}/webhook/secret/rotate`, { ...(secret && { secret }) });
    expect((await rotate('short')).body.data.warnings).toEqual([warning('secret', 5)]);
    for (const { body } of [
      await rotate(),
      await rotate('sixteen-letters!'),
      await change(data.id, { name: 'Short secrets' }),
      await change(data.id, { webhook_secret: 'sixteen-letters!' }),
      await change(data.id, { webhook_url: '' }),
    ])
      expect(body.data).not.toHaveProperty('warnings');
  });

  it('accepts a directory as it is returned, and rejects a change of tenant, product or type', async () => {
    const { data } = (await create({ tenant: 'acme', product: 'app', webhook_url: 'https://a.example.com/' })).body;
    const changed = (await change(data.id, { ...data, name: 'Again' })).body.data;
    expect(changed).toEqual({ ...data, name: 'Again', updated_at: changed.updated_at });
    expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(data.updated_at));
    expect((await change(data.id, { tenant: 'other' })).body.error).toMatchObject({ code: 'invalid_request', field: 'tenant' });
  });

  it('rejects a misspelled field, and ignores other unknown fields', async () => {
    const { id } = (await create({ tenant: 'acme', product: 'app' })).body.data;
    expect((await change(id, { name: 'New', deactivate: true })).body.error).toMatchObject({
      code: 'invalid_request',
      field: 'deactivate',
    });
    expect((await change(id, { name: 'New', owner: 'x', description: 'y' })).body.data).toMatchObject({ name: 'New', deactivated: false });
  });

  it('is a 404 for an unknown or invalid ID', async () => {
    for (const id of ['00000000-0000-7000-8000-000000000000', 'nonsense', '%00', '%E0%A4%A'])
      for (const method of ['GET', 'PATCH', 'DELETE'])
        expect(await service.api(method, `${root}/${id}`, method === 'PATCH' ? { name: 'x' } : undefined)).toMatchObject({
          status: 404,
          body: { data: null, error: { code: 'not_found' } },
        });
  });
});

it('does not return a deleted directory', async () => {
  const directory = await service.createDirectory();
  await directory.scim('POST', '/Users', { userName: 'ada' });
  expect((await service.api('DELETE', `${root}/${directory.id}`)).body).toEqual({ data: {}, error: null });
  expect((await service.api('GET', `${root}/${directory.id}`)).status).toBe(404);
  expect((await service.api('DELETE', `${root}/${directory.id}`)).status).toBe(404);
  expect((await directory.scim('GET', '/Users')).status).toBe(401);
  expect(await service.db('directories').where({ id: directory.id })).toEqual([]);
});

const emptySecret = (field: string) => ({ code: 'empty_webhook_secret', field, message: expect.stringContaining('signed') });
const unknownField = (field: string) => ({ code: 'unknown_field', field, message: `Unknown field ${field}; it was ignored.` });
const warning = (field: string, length: number) => ({
  code: 'short_webhook_secret',
  field,
  message: expect.stringMatching(new RegExp(`^${field} has ${length} characters: .* at least 16`)),
});
