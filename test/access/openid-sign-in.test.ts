import { describe, expect, it } from '@jest/globals';
import { fingerprintOf, personIdOf } from '../../src/access/openid-fingerprint.ts';
import { readAuditLog } from '../support/audit.ts';
import { createCookieBrowser, type CookieBrowser } from '../support/cookie-browser.ts';
import type { OpenIdServer } from '../support/openid-server.ts';
import { useOpenIdService } from '../support/openid-service.ts';
import { root } from '../support/operate.ts';
import { startTestService, type TestService } from '../support/service.ts';

const current = '/api/v1/sessions/current';

let openId: OpenIdServer;
let service: TestService;
let comeBack: (browser: CookieBrowser) => Promise<string>;
useOpenIdService((started) => ({ openId, service, comeBack } = started));

const idOf = (subject: string) => personIdOf(openId.issuer, subject);

/** The whole sign-in. */
async function signIn(browser = createCookieBrowser(service.baseUrl)) {
  const page = await browser.send(await comeBack(browser));
  return { ...browser, page };
}

describe('a person who signs in', () => {
  it.each([
    ['sync-admins', 'admin', 17],
    ['support', 'operator', 12],
    ['readers', 'viewer', 7],
  ])('and is in %s gets the role %s', async (group, role, scopes) => {
    openId.state.person = { sub: `of ${group}`, name: 'Ada', groups: ['staff', group] };
    const { api } = await signIn();
    const { data } = (await api('GET', current)).body;
    expect(data).toMatchObject({ actor: { type: 'person', id: idOf(`of ${group}`), name: 'Ada' }, method: 'oidc', role, tenant: null });
    expect(data.scopes.length).toBe(scopes);
  });

  it('is named in the audit log, and gets an error that names the role', async () => {
    openId.state.person = { sub: 'grace', name: 'Grace Hopper', groups: ['support'] };
    const { api, page } = await signIn();
    expect(page.text).toContain('as Grace Hopper');
    expect(page.text).toContain('<meta http-equiv="refresh" content="0; url=/console">');
    const created = await api('POST', root, { tenant: 'acme', product: 'grace' });
    const denied = await api('DELETE', `${root}/${created.body.data.id}`);
    expect([created.status, denied.status, denied.body.error.message]).toEqual([201, 403, expect.stringMatching(/^Your role/)]);
    const actor = { type: 'person', id: idOf('grace'), name: 'Grace Hopper' };
    const entries = await readAuditLog(service, { actor: idOf('grace') });
    expect(entries.map((entry) => [entry.action, entry.actor])).toEqual([
      ['directory.created', actor],
      ['sign_in.succeeded', actor],
    ]);
    expect(entries[1]!.changes).toEqual({ method: 'oidc', role: 'operator' });
  });

  it('ends all of her sessions, and nobody else’s, everywhere', async () => {
    const [first, second] = [await signIn(), await signIn()];
    openId.state.person = { sub: 'grace', name: 'Grace Hopper', groups: ['support'] };
    const other = await signIn();
    expect((await first.api('DELETE', '/api/v1/sessions')).body.data.ended).toBeGreaterThanOrEqual(2);
    expect((await second.api('GET', current)).body.error.code).toBe('session_ended');
    expect((await other.api('GET', current)).status).toBe(200);
  });

  it('creates no login link, which would outlive her groups', async () => {
    const { api } = await signIn();
    expect((await api('POST', '/api/v1/login-links')).body.error.code).toBe('insufficient_scope');
  });

  it('gets a session for this browser, whatever cookie it had', async () => {
    const browser = createCookieBrowser(service.baseUrl);
    browser.cookies.set('rollcall_session', { value: 'A'.repeat(43), path: '/' });
    await signIn(browser);
    expect(browser.session()).toMatch(/^(?!A{43})[\w-]{43}$/);
    expect([...browser.cookies.keys()].includes('rollcall_sign_in')).toBe(false);
  });
});

it('a session with a role ends when the settings that gave it change, or without single sign-on', async () => {
  const { session } = await signIn();
  const readElsewhere = async (env: Record<string, string | undefined>) => {
    const another = await service.startAnother(env);
    const response = await fetch(`${another.baseUrl}${current}`, { headers: { cookie: `rollcall_session=${session()}` } });
    const { data, error } = (await response.json()) as { data?: { role: string }; error?: { code: string } };
    await another.stop();
    return data?.role ?? error?.code;
  };
  expect(await readElsewhere({ OIDC_ROLES: 'readers=viewer,sync-admins=admin,support=operator' })).toBe('admin');
  expect(await readElsewhere({ OIDC_ROLES: 'sync-admins=viewer' })).toBe('session_ended');
  const off = { OIDC_ISSUER: undefined, OIDC_CLIENT_ID: undefined, OIDC_CLIENT_SECRET: undefined, OIDC_ROLES: undefined };
  expect(await readElsewhere(off)).toBe('session_ended');
});

it.each([{ issuer: 'https://b.example' }, { clientId: 'b' }, { roleClaim: 'b' }, { roles: new Map([['a', 'viewer' as const]]) }])(
  '%j is another setting',
  (changed) => {
    const settings = { issuer: 'https://a.example', clientId: 'a', roleClaim: 'a', roles: new Map([['a', 'admin' as const]]) };
    expect(fingerprintOf({ ...settings, ...changed })).not.toBe(fingerprintOf(settings));
  },
);

const openSignIn = async ({ baseUrl }: { baseUrl: string }) => createCookieBrowser(baseUrl).send('/console/sign-in');

it('the sign-in page links to single sign-on only if there is a provider', async () => {
  expect((await openSignIn(service)).text).toContain('<a href="/console/sign-in/oidc">Single sign-on</a>');
  const without = await startTestService({}, { deliver: false });
  expect((await openSignIn(without)).text).not.toContain('Single sign-on');
  expect((await createCookieBrowser(without.baseUrl).send('/console/sign-in/oidc')).status).toBe(404);
  await without.stop();
});
