import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { languages } from '../../src/http/setup/languages/languages.ts';
import type { SetupLink } from '../../src/directory/setup-links/setup-link.ts';
import { createSetupLinks } from '../../src/directory/setup-links/setup-links.ts';
import { createSetupLinkStore } from '../../src/store/setup-links/setup-link-store.ts';
import { createKey } from '../support/api-keys.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createLink, linksPath, webhook, type TestLink } from '../support/setup-links.ts';

let service: TestService;
beforeAll(async () => {
  const google = { DSYNC_GOOGLE_CLIENT_ID: 'client', DSYNC_GOOGLE_CLIENT_SECRET: 'secret' };
  service = await startTestService({ AUTH_FAILURES_PER_SOURCE: '100000', ...google });
});
afterAll(() => service.stop());

const newOwner = () => ({ tenant: `t-${randomUUID()}`, product: `p-${randomUUID()}` });
const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const message = ({ status, body }: { status: number; body: { error?: { message: string } } }) => [status, body.error?.message];
const dayMs = 86_400_000;

/** Without an API key. */
async function open(method: string, { token }: Pick<TestLink, 'token'>, path = '', body?: object, headers = {}) {
  const response = await fetch(`${service.baseUrl}/api/setup/${token}${path}`, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text), text };
}

const expire = ({ id }: TestLink) =>
  service
    .db('setup_links')
    .where({ id })
    .update({ expires_at: new Date(Date.now() - 1_000) });

describe('the routes for applications', () => {
  it('create a link with the fields of Polis', async () => {
    const owner = newOwner();
    const { status, body } = await service.api('POST', linksPath, { ...owner, ...webhook, name: 'Acme', expiryDays: 2 });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      setupID: createHash('ripemd160').update(`${owner.tenant}:${owner.product}:dsync`).digest('hex'),
      ...owner,
      service: 'dsync',
      name: 'Acme',
      url: expect.stringMatching(new RegExp(`^${service.baseUrl}/setup/[0-9a-f]{48}$`)),
      ...webhook,
      provider: null,
      return_url: null,
      revoke_on_completion: false,
      roles: [],
      admin_emails: [],
      opened_at: null,
      completed_at: null,
    });
    expect(Math.abs(body.data.validTill - Date.now() - 2 * dayMs)).toBeLessThan(60_000);
  });

  it('use the default of three days for 0 and negative values', async () => {
    for (const expiryDays of [undefined, 0, -1]) {
      const { body } = await service.api('POST', linksPath, { ...newOwner(), ...webhook, expiryDays });
      expect(Math.abs(body.data.validTill - Date.now() - 3 * dayMs)).toBeLessThan(60_000);
    }
  });

  it('use at least one minute', async () => {
    const { body } = await service.api('POST', linksPath, { ...newOwner(), ...webhook, expiryDays: 1e-9 });
    expect(Math.abs(body.data.validTill - Date.now() - 60_000)).toBeLessThan(30_000);
  });

  it('return a valid link unchanged, and replace it only on request', async () => {
    const owner = newOwner();
    const first = await createLink(service, owner);
    const again = await service.api('POST', linksPath, { ...owner, ...webhook, webhook_secret: 'another secret of the link' });
    expect([again.status, again.body.data.url, again.body.data.webhook_secret]).toEqual([201, first.url, webhook.webhook_secret]);
    const second = await createLink(service, { ...owner, regenerate: true, webhook_secret: 'another secret of the link' });
    expect([second.id, second.token === first.token]).toEqual([first.id, false]);
    expect(message(await open('GET', first))).toEqual([404, 'Setup link is not found']);
    expect((await open('GET', second)).status).toBe(200);
    await expire(second);
    expect((await createLink(service, owner)).token).not.toBe(second.token);
  });

  it('create one link for concurrent requests', async () => {
    const owner = newOwner();
    const links = await Promise.all(Array.from({ length: 8 }, () => createLink(service, owner)));
    expect(new Set(links.map(({ token }) => token)).size).toBe(1);
  });

  it('reject missing and invalid fields, with the messages of Polis where it has some', async () => {
    const owner = newOwner();
    for (const [fields, expected] of [
      [{ ...webhook, tenant: '', product: '' }, 'Must provide tenant and product'],
      [{ ...webhook, product: 'a' }, 'Must provide tenant and product'],
      [{ ...owner }, 'Must provide webhook_url and webhook_secret'],
      [{ ...owner, webhook_url: webhook.webhook_url }, 'Must provide webhook_url and webhook_secret'],
    ] as const)
      expect(message(await service.api('POST', linksPath, fields))).toEqual([400, expected]);
    for (const [field, value] of [
      ['tenant', 'a:b'],
      ['product', 'a:b'],
      ['webhook_url', 'ftp://app.example'],
      ['webhook_url', 'http://169.254.169.254/latest'],
      ['expiryDays', 366],
      ['provider', 'ldap'],
      ['return_url', 'javascript:alert(1)'],
      ['return_url', 'http://app.example'],
      ['return_url', 'https://user:pass@app.example'],
      ['return_url', '//app.example'],
      ['admin_emails', Array.from({ length: 21 }, () => 'ada@acme.example')],
      ['name', 'a'.repeat(201)],
    ] as const) {
      const { status, body } = await service.api('POST', linksPath, { ...owner, ...webhook, [field]: value });
      expect([status, body.error.field.split('.')[0]]).toEqual([400, field]);
    }
    for (const url of ['https://app.example/a?b=c', 'http://localhost:3000/', 'http://127.0.0.1/', 'http://[::1]:3000/'])
      await createLink(service, { return_url: url });
  });

  it('find and list links', async () => {
    const link = await createLink(service);
    const other = await createLink(service, { product: link.product });
    for (const path of [query({ id: link.id }), query({ tenant: link.tenant, product: link.product })]) {
      const { status, body } = await service.api('GET', `${linksPath}?${path}`);
      expect([status, body.data.url, body.data.webhook_secret]).toEqual([200, link.url, webhook.webhook_secret]);
    }
    expect(message(await service.api('GET', linksPath))).toEqual([400, 'Please provide either id or tenant and product']);
    expect(message(await service.api('GET', `${linksPath}?id=unknown`))).toEqual([404, 'Setup link is not found']);
    const { body } = await service.api('GET', `${linksPath}/product?product=${link.product}`);
    expect(body.data.map(({ setupID }: { setupID: string }) => setupID)).toEqual([other.id, link.id]);
    const page = await service.api('GET', `${linksPath}/product?product=${link.product}&pageOffset=1&pageLimit=1`);
    expect(page.body.data.map(({ setupID }: { setupID: string }) => setupID)).toEqual([link.id]);
    const first = await service.api('GET', `${linksPath}/product?product=${link.product}&limit=1`);
    const next = await service.api('GET', `${linksPath}/product?product=${link.product}&cursor=${first.body.next_cursor}`);
    expect([first, next].map(({ body: { data } }) => data.map(({ setupID }: { setupID: string }) => setupID))).toEqual([
      [other.id],
      [link.id],
    ]);
    expect(next.body.next_cursor).toBeNull();
    expect(message(await service.api('GET', `${linksPath}/product`))).toEqual([400, 'Please provide a product']);
  });

  it('revoke links', async () => {
    const [first, second] = [await createLink(service), await createLink(service)];
    const revoke = (path: string) => service.api('DELETE', `${linksPath}?${path}`);
    expect(await revoke(query({ id: first.id }))).toMatchObject({ status: 200, body: { data: {} } });
    expect(await revoke(query({ tenant: second.tenant, product: second.product }))).toMatchObject({ status: 200, body: { data: {} } });
    for (const link of [first, second]) expect(message(await open('GET', link))).toEqual([404, 'Setup link is not found']);
    expect((await revoke(query({ tenant: second.tenant, product: second.product }))).status).toBe(404);
    // Polis revokes nothing and reports success.
    expect([(await revoke('')).status, (await revoke(query({ id: first.id }))).status]).toEqual([200, 200]);
    const own = '/api/v1/directory-sync/setuplinks';
    expect([(await service.api('DELETE', own)).status, (await service.api('DELETE', `${own}?id=${first.id}`)).status]).toEqual([400, 404]);
  });

  it('show no webhook secret to a key without secrets:read, and nothing secret where secrets are shown once', async () => {
    const key = await createKey(service, { scopes: ['setup_links:write', 'directories:write', 'directories:delete'] });
    const link = await createLink(service);
    const found = await key.api('GET', `${linksPath}?id=${link.id}`);
    expect([found.body.data.url, found.body.data.webhook_secret]).toEqual([link.url, null]);
    const strict = await service.startAnother({ SECRETS_SHOWN_ONCE: 'true' });
    try {
      const response = await fetch(`${strict.baseUrl}${linksPath}?id=${link.id}`, {
        headers: { authorization: 'Api-Key test-api-key-of-32-characters-or-more' },
      });
      expect(await response.json()).toMatchObject({ data: { url: null, webhook_secret: null } });
    } finally {
      await strict.stop();
    }
  });

  it('grant no key more rights than it has', async () => {
    const [owner, others] = [newOwner(), await createLink(service)];
    const lister = await createKey(service, { scopes: ['setup_links:write'] });
    const writer = await createKey(service, { scopes: ['setup_links:write', 'directories:write'] });
    expect((await lister.api('POST', linksPath, { ...owner, ...webhook })).body.error.code).toBe('insufficient_scope');
    const link = await createLink(writer, owner);
    const urlsOf = async ({ id, product }: TestLink, { api }: typeof writer) => {
      const found = await api('GET', `${linksPath}?id=${id}`);
      const listed = await api('GET', `${linksPath}/product?product=${product}`);
      return [found.body.data.url, listed.body.data[0].url];
    };
    expect([await urlsOf(link, lister), await urlsOf(link, writer)]).toEqual([
      [null, null],
      [link.url, link.url],
    ]);
    // This one can delete directories.
    expect(await urlsOf(others, writer)).toEqual([null, null]);
    const again = await writer.api('POST', linksPath, { tenant: others.tenant, product: others.product, ...webhook });
    expect([again.status, again.body.data.url]).toEqual([201, null]);
    const { id } = (await open('POST', link, '/directory-sync', { type: 'okta-scim-v2' })).body.data;
    const removed = await open('DELETE', link, `/directory-sync/${id}`);
    expect([removed.status, removed.body.error.code]).toEqual([403, 'forbidden']);
    expect((await service.api('GET', `/api/v1/dsync/${id}`)).status).toBe(200);
  });

  it('store neither the token nor the webhook in plain text', async () => {
    const link = await createLink(service, { admin_emails: ['ada@acme.example'] });
    const row = JSON.stringify(await service.db('setup_links').where({ id: link.id }).first());
    for (const secret of [link.token, webhook.webhook_secret, webhook.webhook_url, 'ada@acme.example']) expect(row).not.toContain(secret);
  });
});

describe('the routes for administrators', () => {
  it('open a link, without its tenant, product and webhook', async () => {
    const link = await createLink(service, { name: 'Acme', return_url: 'https://app.example/', admin_emails: ['ada@acme.example'] });
    const { status, body, headers, text } = await open('GET', link);
    expect([status, body.data]).toEqual([
      200,
      {
        setupID: link.id,
        service: 'dsync',
        name: 'Acme',
        validTill: expect.any(Number),
        url: link.url,
        provider: null,
        return_url: 'https://app.example/',
        companyName: '',
        logoUrl: '',
        faviconUrl: '',
        primaryColor: '',
      },
    ]);
    for (const hidden of [link.tenant, link.product, ...Object.values(webhook), 'ada@acme.example']) expect(text).not.toContain(hidden);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
    });
  });

  it('record that a link was opened by GET, not by HEAD', async () => {
    const link = await createLink(service);
    const openedAt = async () => (await service.api('GET', `${linksPath}?id=${link.id}`)).body.data.opened_at;
    await fetch(`${service.baseUrl}/api/setup/${link.token}`, { method: 'HEAD' });
    expect(await openedAt()).toBeNull();
    await open('GET', link);
    expect(await openedAt()).toEqual(expect.any(String));
  });

  it('list the providers under their labels', async () => {
    const link = await createLink(service);
    expect((await open('GET', link, '/directory-sync/providers')).body.data).toEqual({
      'azure-scim-v2': 'Entra ID SCIM v2.0',
      'onelogin-scim-v2': 'OneLogin SCIM v2.0',
      'okta-scim-v2': 'Okta SCIM v2.0',
      'jumpcloud-scim-v2': 'JumpCloud v2.0',
      'generic-scim-v2': 'Generic SCIM v2.0',
      google: 'Google',
      entra: 'Entra ID',
      csv: 'CSV files',
    });
    const preset = await createLink(service, { provider: 'okta-scim-v2' });
    expect((await open('GET', preset, '/directory-sync/providers')).body.data).toEqual({ 'okta-scim-v2': 'Okta SCIM v2.0' });
    expect((await open('POST', preset, '/directory-sync', { type: 'google' })).status).toBe(400);
  });

  it('create one directory with the name and webhook of the link, and show its secret once', async () => {
    const link = await createLink(service, { name: 'Acme' });
    expect((await open('GET', link, '/directory-sync')).body.data).toEqual([]);
    const together = await Promise.all(Array.from({ length: 5 }, () => open('POST', link, '/directory-sync', { type: 'okta-scim-v2' })));
    expect(together.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const [id, ...others] = new Set(together.map(({ body }) => body.data.id as string));
    const secrets = together.map(({ body }) => body.data.scim.secret).filter((secret) => secret !== null);
    expect([others, secrets.length]).toEqual([[], 1]);
    const { body } = await service.api('GET', `/api/v1/dsync/${id}`);
    expect(body.data).toMatchObject({
      name: 'Acme',
      tenant: link.tenant,
      product: link.product,
      type: 'okta-scim-v2',
      scim: { secret: secrets[0] },
      webhook: { endpoint: webhook.webhook_url, secret: webhook.webhook_secret },
    });
    const listed = { id, type: 'okta-scim-v2', name: 'Acme', deactivated: false };
    expect((await open('GET', link, '/directory-sync')).body.data).toEqual([listed]);
    const detailed = await open('GET', link, `/directory-sync/${id}`);
    expect(detailed.body.data).toEqual({
      ...listed,
      scim: { path: `/api/scim/v2.0/${id}`, endpoint: `${service.baseUrl}/api/scim/v2.0/${id}`, secret: null },
      google_authorized: false,
      google_authorization_url: '',
    });
    for (const hidden of [link.tenant, link.product, ...Object.values(webhook), secrets[0]]) expect(detailed.text).not.toContain(hidden);
  });

  it('create a directory of Google, with the address of the consent', async () => {
    const link = await createLink(service);
    const { body } = await open('POST', link, '/directory-sync', { type: 'google' });
    expect((await open('GET', link, `/directory-sync/${body.data.id}`)).body.data).toMatchObject({
      scim: { path: '', endpoint: '', secret: '' },
      google_authorized: false,
      google_authorization_url: `${service.baseUrl}/api/scim/oauth/authorize`,
    });
  });

  it('deactivate, activate and delete a directory, and change nothing else', async () => {
    const link = await createLink(service);
    const { id } = (await open('POST', link, '/directory-sync', { type: 'generic-scim-v2' })).body.data;
    const path = `/directory-sync/${id}`;
    const changed = await open('PATCH', link, path, { deactivated: true, name: 'New', webhook_url: 'https://evil.example' });
    expect([changed.status, changed.body.data.deactivated]).toEqual([200, true]);
    expect((await service.api('GET', `/api/v1/dsync/${id}`)).body.data).toMatchObject({
      name: `scim-${link.tenant}-${link.product}`,
      webhook: { endpoint: webhook.webhook_url },
      deactivated: true,
    });
    expect((await open('PATCH', link, path, { deactivated: 'false' })).body.data.deactivated).toBe(false);
    expect(await open('DELETE', link, path)).toMatchObject({ status: 200, body: { data: {} } });
    expect((await service.api('GET', `/api/v1/dsync/${id}`)).status).toBe(404);
  });

  it('change directories at most 60 times at once', async () => {
    const [link, other] = [await createLink(service), await createLink(service)];
    const { id } = (await open('POST', link, '/directory-sync', { type: 'generic-scim-v2' })).body.data;
    const change = () => open('PATCH', link, `/directory-sync/${id}`, { deactivated: false });
    for (let changes = 1; changes < 60; changes += 1) expect((await change()).status).toBe(200);
    expect(await change()).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect((await open('GET', link, `/directory-sync/${id}`)).status).toBe(200);
    expect((await open('POST', other, '/directory-sync', { type: 'generic-scim-v2' })).status).toBe(201);
  });

  it('say that a directory is being deleted until its events are delivered', async () => {
    const link = await createLink(service);
    const { id, scim } = (await open('POST', link, '/directory-sync', { type: 'generic-scim-v2' })).body.data;
    await service.api('PATCH', `/api/v1/dsync/${id}`, { on_directory_delete: 'events' });
    const { status } = await fetch(`${scim.endpoint}/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scim.secret}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ userName: 'ada' }),
    });
    expect(status).toBe(201);
    expect((await open('DELETE', link, `/directory-sync/${id}`)).body.data).toEqual({ state: 'deleting' });
    const deleting = { id, deactivated: true, state: 'deleting' };
    expect((await open('GET', link, '/directory-sync')).body.data).toMatchObject([deleting]);
    expect((await open('GET', link, `/directory-sync/${id}`)).body.data).toMatchObject(deleting);
    const page = await fetch(`${link.url}/directory-sync/${id}`, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain(languages.en.deleting);
  });

  it('return the same directory for each spelling of its ID', async () => {
    const id = randomUUID();
    const [tenant, product] = ['acme', 'app'];
    const called: string[] = [];
    const note = (its: string) => Promise.resolve(void called.push(its));
    const directory = { id, tenant, product };
    const links = createSetupLinks({
      store: { complete: (_: unknown, its: string) => note(its).then(() => true) },
      directories: {
        getWithHealth: () => Promise.resolve({ directory, health: { lastPushAt: new Date(), scimSecrets: [] } }),
        update: (its: string) => note(its).then(() => ({ directory })),
        remove: note,
      },
      scimSecrets: { rotate: note },
      ttlMs: dayMs,
      offersGoogle: false,
      findWebhookUrlProblem: () => undefined,
    } as unknown as Parameters<typeof createSetupLinks>[0]);
    const link = { tenant, product, mayDelete: true, expiresAt: new Date(Date.now() + dayMs) } as SetupLink;
    const spelled = id.toUpperCase();
    await links.update(link, spelled, true);
    await links.createSecret(link, spelled);
    await links.complete(link, spelled);
    await links.removeDirectory(link, spelled);
    expect(called).toEqual([id, id, id, id]);
  });

  it('respond equally to directories of others and to missing ones', async () => {
    const [link, other] = [await createLink(service), await createLink(service)];
    const foreign = [
      (await open('POST', other, '/directory-sync', { type: 'okta-scim-v2' })).body.data.id,
      (await open('POST', await createLink(service, { tenant: link.tenant }), '/directory-sync', { type: 'okta-scim-v2' })).body.data.id,
      randomUUID(),
      'unknown',
    ];
    for (const id of foreign)
      for (const [method, body] of [['GET'], ['PATCH', { deactivated: true }], ['DELETE']] as const)
        expect(message(await open(method, link, `/directory-sync/${id}`, body))).toEqual([400, 'Tenant/Product mismatch']);
    expect((await service.api('GET', `/api/v1/dsync/${foreign[0]}`)).body.data.deactivated).toBe(false);
  });

  it('check the token on every path', async () => {
    const link = await createLink(service);
    const unknown = { token: link.token.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) };
    const paths = ['', '/directory-sync', '/directory-sync/providers', `/directory-sync/${randomUUID()}`, '/nothing'];
    for (const path of paths) {
      for (const { token } of [unknown, { token: 'x' }, { token: link.token.toUpperCase() }, { token: `${link.token}0` }])
        expect(message(await open('GET', { token }, path))).toEqual([404, 'Setup link is not found']);
    }
    await expire(link);
    for (const path of paths) expect(message(await open('GET', link, path))).toEqual([401, 'Setup link is expired']);
    expect((await open('POST', link, '/directory-sync', { type: 'okta-scim-v2' })).status).toBe(401);
  });

  it('accept changes from no other site', async () => {
    const link = await createLink(service);
    const create = (headers: object) => open('POST', link, '/directory-sync', { type: 'okta-scim-v2' }, headers);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: service.baseUrl, 'sec-fetch-site': 'cross-site' },
    ])
      expect((await create(headers)).status).toBe(403);
    expect((await open('GET', link, '/directory-sync')).body.data).toEqual([]);
    expect((await create({ origin: service.baseUrl })).status).toBe(201);
  });
});

it('deletes links that ended 30 days ago', async () => {
  const links = [await createLink(service), await createLink(service), await createLink(service)];
  const [valid, ended, old] = links.map(({ id }) => id) as [string, string, string];
  const endedAgo = (id: string, days: number) =>
    service
      .db('setup_links')
      .where({ id })
      .update({ expires_at: new Date(Date.now() - days * dayMs) });
  await endedAgo(ended, 29);
  await endedAgo(old, 31);
  // Maintenance may already have deleted some.
  expect(await createSetupLinkStore({ db: service.db } as Parameters<typeof createSetupLinkStore>[0]).dropExpired(10)).toBeLessThan(2);
  const left = await service.db('setup_links').whereIn('id', [valid, ended, old]).select<{ id: string }[]>('id');
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set([valid, ended]));
});

it('limits guesses like other failed authentications, and logs no token', async () => {
  const limited = await service.startAnother({ AUTH_FAILURES_PER_SOURCE: '3' });
  try {
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1)
      statuses.push((await fetch(`${limited.baseUrl}/api/setup/${String(count).repeat(48)}`)).status);
    expect(statuses).toEqual([404, 404, 404, 429, 429]);
    // A valid link works from the same address.
    const link = await createLink(service);
    expect((await fetch(`${limited.baseUrl}/api/setup/${link.token}`)).status).toBe(200);
    // The OpenAPI document has no such path, so this response is not compared with it.
    await fetch(new Request(`${limited.baseUrl}/proxy/setup/${link.token.toUpperCase()}`));
    expect(JSON.stringify(service.logs).toLowerCase()).not.toContain(link.token);
    for (const path of ['"/api/setup/…"', '"/proxy/setup/…"']) expect(JSON.stringify(service.logs)).toContain(path);
  } finally {
    await limited.stop();
  }
});
