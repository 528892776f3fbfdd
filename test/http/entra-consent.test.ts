import { beforeEach, describe, expect, it } from '@jest/globals';
import { createBrowser } from '../support/browser.ts';
import type { FakeEntra } from '../support/entra/fake-entra.ts';
import { useEntraService } from '../support/entra/entra-service.ts';
import { toPulledDirectory, type Run } from '../support/pulled-directories.ts';
import type { TestService } from '../support/service.ts';

let entra: FakeEntra;
let service: TestService;
useEntraService((started) => ({ entra, service } = started));
const root = '/api/v1/directory-sync';
const otherTenant = '11111111-2222-4333-8444-555555555555';
beforeEach(async () => {
  // A tenant is bound once.
  await service.db('all_directories').update({ provider_account: null });
  if (entra.users.size === 0) entra.addUser({ userPrincipalName: 'ada@acme.example' });
  entra.state.isConsented = false;
  entra.revokeTokens();
});

async function create(fields: Record<string, unknown> = {}) {
  const { status, body } = await service.api('POST', root, { tenant: 'acme', product: 'app', type: 'entra', ...fields });
  expect(status).toBe(201);
  return toPulledDirectory(service, body.data.id);
}
const authorizeAddress = (id: string) => `${service.baseUrl}/api/scim/oauth/authorize?directoryId=${id}`;
/** The address that Microsoft redirects to, in the browser that was shown the page. */
async function consentIn(browser: ReturnType<typeof createBrowser>, id: string, options?: Parameters<FakeEntra['consent']>[1]) {
  const there = await browser.openAndContinue(authorizeAddress(id));
  return entra.consent(there.location!, options);
}

describe('a consent', () => {
  it('leads the administrator to Microsoft and back, keeps the tenant, and starts a sync', async () => {
    const directory = await create();
    expect(await directory.get()).toMatchObject({
      entra_tenant_id: '',
      entra_authorization: 'needs_authorization',
      scim: { endpoint: '' },
    });
    const browser = createBrowser();
    const page = await browser.open(authorizeAddress(directory.id));
    expect(page.text).toContain('Connect Microsoft Entra ID');
    const there = await browser.openAndContinue(authorizeAddress(directory.id));
    const url = new URL(there.location!);
    expect(`${url.origin}${url.pathname}`).toBe(`${entra.url}/organizations/v2.0/adminconsent`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: entra.client.id,
      scope: `${entra.url}/.default`,
      redirect_uri: `${service.baseUrl}/api/scim/oauth/callback`,
      state: expect.any(String),
    });
    const back = await browser.open(entra.consent(url.href));
    expect([back.status, back.text]).toEqual([200, expect.stringContaining('The directory is authorized')]);
    expect(await directory.get()).toMatchObject({ entra_tenant_id: entra.tenant, entra_authorization: 'authorized' });
    const run: Run = await directory.untilNewestEnded();
    expect([run.state, run.trigger, run.changed.users.created]).toEqual(['succeeded', 'authorization', 1]);
  });

  it('serves once, and only in its browser', async () => {
    const directory = await create();
    const browser = createBrowser();
    const back = await consentIn(browser, directory.id);
    expect((await createBrowser().open(back)).status).toBe(403);
    expect((await browser.open(back)).status).toBe(200);
    expect((await browser.open(back)).status).toBe(403);
    await directory.untilNewestEnded();
    expect((await createBrowser().open(authorizeAddress(directory.id))).status).toBe(403);
  });

  it('that is denied or of another tenant changes nothing, and that tenant is never read', async () => {
    const directory = await create({ entra_tenant_id: entra.tenant });
    const browser = createBrowser();
    expect((await browser.open(await consentIn(browser, directory.id, { deny: true }))).status).toBe(400);
    entra.requests.length = 0;
    expect((await browser.open(await consentIn(browser, directory.id, { as: otherTenant }))).status).toBe(403);
    expect((await browser.open(await consentIn(browser, directory.id, { as: 'acme.example' }))).status).toBe(400);
    expect(await directory.get()).toMatchObject({ entra_tenant_id: entra.tenant });
    expect([await directory.runs(), entra.requests]).toEqual([[], []]);
  });

  it('cannot bind a tenant that a directory of another tenant reads', async () => {
    await create({ entra_tenant_id: entra.tenant });
    const thief = await create({ tenant: 'thief' });
    const browser = createBrowser();
    expect((await browser.open(await consentIn(browser, thief.id))).status).toBe(403);
    expect(await thief.get()).toMatchObject({ entra_tenant_id: '' });
    const second = await create();
    expect((await browser.open(await consentIn(browser, second.id))).status).toBe(200);
  });

  it('of a tenant that it may not read does not keep that tenant from its owner', async () => {
    const thief = await create({ tenant: 'thief' });
    const browser = createBrowser();
    const there = await browser.openAndContinue(authorizeAddress(thief.id));
    const back = new URL(`${service.baseUrl}/api/scim/oauth/callback`);
    back.search = new URLSearchParams({
      admin_consent: 'True',
      tenant: entra.tenant,
      state: new URL(there.location!).searchParams.get('state')!,
    }).toString();
    expect((await browser.open(back.href)).status).toBe(200);
    expect((await thief.untilNewestEnded()).error.code).toBe('needs_authorization');
    expect(await thief.get()).toMatchObject({ entra_tenant_id: '', entra_authorization: 'needs_authorization' });
    const owner = await create();
    expect((await browser.open(await consentIn(browser, owner.id))).status).toBe(200);
    expect((await owner.untilNewestEnded()).state).toBe('succeeded');
    const again = createBrowser();
    expect((await again.open(await consentIn(again, thief.id))).status).toBe(403);
    expect(await thief.get()).toMatchObject({ entra_tenant_id: '' });
  });

  it('binds a tenant to one of two owners that give it at the same time', async () => {
    const thieves = await Promise.all(['one', 'two', 'three'].map((tenant) => create({ tenant })));
    const backs = await Promise.all(
      thieves.map(async ({ id }) => {
        const browser = createBrowser();
        return { browser, back: await consentIn(browser, id) };
      }),
    );
    const statuses = await Promise.all(backs.map(async ({ browser, back }) => (await browser.open(back)).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
  });

  it('after a revocation makes the directory work again, with the same tenant', async () => {
    entra.state.isConsented = true;
    const directory = await create({ entra_tenant_id: entra.tenant });
    expect((await directory.sync()).state).toBe('succeeded');
    entra.state.isConsented = false;
    entra.revokeTokens();
    expect((await directory.sync()).error.code).toBe('needs_authorization');
    expect((await service.api('GET', `${root}/${directory.id}?health=true`)).body.data.health?.status ?? 'needs_authorization').toBe(
      'needs_authorization',
    );
    const browser = createBrowser();
    expect((await browser.open(await consentIn(browser, directory.id))).status).toBe(200);
    expect((await directory.untilNewestEnded(3)).state).toBe('succeeded');
  });

  it('of an application with its own pages is completed with an API key, once', async () => {
    const directory = await create();
    const { body } = await service.api('POST', `${directory.path}/entra/authorization-url`);
    const back = new URL(entra.consent(body.data.authorizationUrl)).searchParams;
    const sent = { tenant: back.get('tenant'), state: back.get('state') };
    const first = await service.api('POST', `${directory.path}/entra/tenant`, sent);
    expect([first.status, first.body.data.entra_tenant_id]).toEqual([200, entra.tenant]);
    expect((await service.api('POST', `${directory.path}/entra/tenant`, sent)).body.error.field).toBe('state');
    expect((await directory.untilNewestEnded()).state).toBe('succeeded');
    const google = await service.api('POST', root, { tenant: 'acme', product: 'app', type: 'google' });
    const refused = await service.api('POST', `${root}/${google.body.data.id}/entra/authorization-url`);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_request']);
  });
});

async function attempt(fields: Record<string, unknown>) {
  const { status, body } = await service.api('POST', root, { tenant: 'acme', product: 'app', ...fields });
  return [status, body.error?.field];
}

describe('a directory', () => {
  it('refuses the fields of another provider, and two selections at once', async () => {
    expect(await attempt({ type: 'google', entra_tenant_id: entra.tenant })).toEqual([400, 'entra_tenant_id']);
    expect(await attempt({ type: 'entra', google_domain: 'acme.example' })).toEqual([400, 'google_domain']);
    expect(await attempt({ type: 'entra', entra_tenant_id: 'acme.example' })).toEqual([400, 'entra_tenant_id']);
    expect(await attempt({ type: 'entra', entra_groups: [otherTenant], entra_assigned_only: true })).toEqual([400, 'entra_assigned_only']);
  });

  it('is started by the cron route of its type', async () => {
    entra.state.isConsented = true;
    const directory = await create({ entra_tenant_id: entra.tenant });
    const started = (await service.api('POST', '/api/v1/dsync/cron/sync-entra')).body.data.directories.map((one: Run) => one.directory_id);
    expect(started).toEqual([directory.id]);
    expect((await service.api('POST', '/api/v1/dsync/cron/sync-google')).body.data.directories).toEqual([]);
    expect((await directory.untilNewestEnded()).trigger).toBe('cron');
  });
});
