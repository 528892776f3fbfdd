import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createOpenIdProvider } from '../../src/providers/openid/create-openid-provider.ts';
import { readAuditLog } from '../support/audit.ts';
import { createCookieBrowser, type CookieBrowser, type Page } from '../support/cookie-browser.ts';
import { openIdSecret, startOpenIdServer, type OpenIdServer } from '../support/openid-server.ts';
import { root } from '../support/operate.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const clientId = 'rollcall';
const start = '/console/sign-in/oidc';
const current = '/api/v1/sessions/current';

let openId: OpenIdServer;
let service: TestService;
beforeAll(async () => {
  openId = await startOpenIdServer();
  service = await startTestService(
    {
      AUTH_FAILURES_PER_SOURCE: '100000',
      OIDC_ISSUER: openId.issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: openIdSecret,
      OIDC_ROLES: 'sync-admins=admin, support=operator, readers=viewer',
    },
    { deliver: false },
  );
  await openId.register({ clientId, redirectUri: `${service.baseUrl}/console/callback` });
});
afterAll(async () => {
  await service.stop();
  await openId.stop();
});
beforeEach(() => {
  Object.assign(openId.state, {
    person: { sub: 'ada', name: 'Ada Lovelace', groups: ['staff', 'sync-admins'] },
    alterClaims: undefined,
    denies: false,
  });
});

const isCallback = (location: string) => location.startsWith(`${service.baseUrl}/console/callback`);

/** Goes to the provider, and returns the address to which it sends the browser back. */
async function comeBack(browser: CookieBrowser): Promise<string> {
  const { location } = await browser.follow(start, (to) => !isCallback(to));
  expect(isCallback(location!)).toBe(true);
  return location!;
}

/** The whole sign-in. */
async function signIn(browser = createCookieBrowser(service.baseUrl)) {
  const page = await browser.send(await comeBack(browser));
  return { ...browser, page };
}

const sentenceOf = ({ text }: Page) => /<p>([^<]+)<\/p>/.exec(text)?.[1]?.replaceAll('&#39;', "'");
const errorOf = async (browser: CookieBrowser, url: string) => {
  const { status, body } = await browser.send(url, { headers: { accept: 'application/json' } });
  return `${status} ${body.error.code}`;
};

describe('a person who signs in', () => {
  it.each([
    ['sync-admins', 'admin', 16],
    ['support', 'operator', 12],
    ['readers', 'viewer', 7],
  ])('and is in %s gets the role %s', async (group, role, scopes) => {
    openId.state.person = { sub: `of ${group}`, name: 'Ada', groups: ['staff', group] };
    const { api } = await signIn();
    const { data } = (await api('GET', current)).body;
    expect(data).toMatchObject({ actor: { type: 'person', id: `oidc:of ${group}`, name: 'Ada' }, method: 'oidc', role, tenant: null });
    expect(data.scopes.length).toBe(scopes);
  });

  it('is named in the audit log, and with a lesser role told so', async () => {
    openId.state.person = { sub: 'grace', name: 'Grace Hopper', groups: ['support'] };
    const { api, page } = await signIn();
    expect(page.text).toContain('You are signed in as Grace Hopper.');
    expect(page.text).toContain('<meta http-equiv="refresh" content="0; url=/console">');
    const created = await api('POST', root, { tenant: 'acme', product: 'grace' });
    const denied = await api('DELETE', `${root}/${created.body.data.id}`);
    expect([created.status, denied.status, denied.body.error.message]).toEqual([
      201,
      403,
      'Your role lacks the scope directories:delete, which this operation requires.',
    ]);
    const actor = { type: 'person', id: 'oidc:grace', name: 'Grace Hopper' };
    const entries = await readAuditLog(service, { actor: 'oidc:grace' });
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

it('somebody without a mapped group is refused, and named in the audit log', async () => {
  openId.state.person = { sub: 'eve', name: 'Eve', groups: ['staff'] };
  const { page, session } = await signIn();
  expect([page.status, session()]).toEqual([403, undefined]);
  expect(sentenceOf(page)).toContain('You are not in a group that may sign in here');
  const [entry] = await until(async () => {
    const entries = await readAuditLog(service, { action: 'sign_in.refused', actor: 'oidc:eve' });
    return entries.length > 0 && entries;
  });
  expect(entry).toMatchObject({
    actor: { type: 'person', id: 'oidc:eve', name: 'Eve' },
    changes: { at: 'sign_in', reason: 'sign_in_no_role' },
    result: 'refused',
  });
});

describe('a sign-in that is not that of this browser', () => {
  const begun = async () => {
    const browser = createCookieBrowser(service.baseUrl);
    return { browser, url: new URL(await comeBack(browser)) };
  };

  it('fails without the state, with another state, and in another browser', async () => {
    const { browser, url } = await begun();
    const missing = new URL(url);
    missing.searchParams.delete('state');
    expect(await errorOf(createCookieBrowser(service.baseUrl), url.href)).toBe('400 sign_in_other_browser');
    expect(await errorOf(browser, missing.href)).toBe('400 sign_in_state_missing');
    // The cookie is used up.
    expect(await errorOf(browser, url.href)).toBe('400 sign_in_other_browser');
    const { browser: other } = await begun();
    expect(await errorOf(other, url.href)).toBe('400 sign_in_state_mismatch');
  });

  it('fails with a cookie that was not made here', async () => {
    const { browser, url } = await begun();
    browser.cookies.set('rollcall_sign_in', { value: 'forged', path: '/console/callback' });
    expect(await errorOf(browser, url.href)).toBe('400 sign_in_other_browser');
  });

  it('is not used up by a program that looks at the link', async () => {
    const { browser, url } = await begun();
    expect((await browser.send(url.href, { method: 'HEAD' })).status).toBe(405);
    expect((await browser.send(url.href)).status).toBe(200);
  });
});

describe('what the provider sends', () => {
  const nowSeconds = () => Math.floor(Date.now() / 1_000);
  const alterations: Record<string, (claims: Record<string, unknown>) => Record<string, unknown>> = {
    'for another application': (claims) => ({ ...claims, aud: 'another' }),
    'of another provider': (claims) => ({ ...claims, iss: 'https://evil.example' }),
    'of another sign-in': (claims) => ({ ...claims, nonce: 'another' }),
    'two minutes too old': (claims) => ({ ...claims, iat: nowSeconds() - 600, exp: nowSeconds() - 120 }),
    'without a subject': ({ sub: _, ...claims }) => claims,
  };
  it.each([
    ['for another application', '401 sign_in_audience'],
    ['of another provider', '401 sign_in_token_invalid'],
    ['of another sign-in', '401 sign_in_token_invalid'],
    ['two minutes too old', '401 sign_in_clock'],
    ['without a subject', '401 sign_in_token_invalid'],
  ])('is rejected if it is %s', async (name, error) => {
    openId.state.alterClaims = alterations[name];
    const browser = createCookieBrowser(service.baseUrl);
    expect(await errorOf(browser, await comeBack(browser))).toBe(error);
    expect(browser.session()).toBeUndefined();
  });

  it.each([-45, 45])('is accepted if the clocks differ by %i s', async (seconds) => {
    openId.state.alterClaims = (claims) => ({ ...claims, iat: nowSeconds() + seconds, exp: nowSeconds() - 30 });
    expect((await signIn()).page.status).toBe(200);
  });

  it('is rejected if another key has signed it', async () => {
    openId.state.forgesSignature = true;
    const browser = createCookieBrowser(service.baseUrl);
    expect(await errorOf(browser, await comeBack(browser))).toBe('401 sign_in_token_invalid');
    openId.state.forgesSignature = false;
  });

  it('is rejected if the code has expired or was used', async () => {
    const browser = createCookieBrowser(service.baseUrl);
    const url = await comeBack(browser);
    await openId.destroyCode(new URL(url).searchParams.get('code')!);
    expect(await errorOf(browser, url)).toBe('400 sign_in_code_invalid');
  });

  it('may say that access was denied', async () => {
    openId.state.denies = true;
    const browser = createCookieBrowser(service.baseUrl);
    expect(await errorOf(browser, await comeBack(browser))).toBe('403 sign_in_denied');
  });

  it('may be long, but not very long', async () => {
    const browser = createCookieBrowser(service.baseUrl);
    expect(await errorOf(browser, `/console/callback?state=${'a'.repeat(9_000)}`)).toBe('400 invalid_request');
  });
});

describe('a provider that is away', () => {
  const pending = { state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43), beganAtMs: 0 };
  const options = { clientId, clientSecret: openIdSecret, scope: 'openid', roleClaim: 'groups' };
  let silent: Server;
  let issuer: string;
  beforeAll(async () => {
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  });
  afterAll(() => void silent.close());

  it('gets 503, and is asked again at the next sign-in', async () => {
    const away = await service.startAnother({ OIDC_ISSUER: 'http://127.0.0.1:9' });
    const { status, body, headers } = await createCookieBrowser(away.baseUrl).send(start, { headers: { accept: 'application/json' } });
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'issuer_unavailable', '5']);
    await away.stop();
  });

  it('is not waited for forever', async () => {
    const provider = createOpenIdProvider({ ...options, issuer, timeoutMs: 300 });
    await expect(provider.begin(pending, 'http://127.0.0.1/console/callback')).rejects.toMatchObject({ code: 'issuer_unavailable' });
  });

  it('is used once it is back', async () => {
    const provider = createOpenIdProvider({ ...options, issuer: openId.issuer });
    await openId.during503(() =>
      expect(provider.begin(pending, 'http://127.0.0.1/console/callback')).rejects.toMatchObject({ code: 'issuer_unavailable' }),
    );
    expect(await provider.begin(pending, 'http://127.0.0.1/console/callback')).toContain('code_challenge_method=S256');
  });

  it('that does not accept the client says so to the operator', async () => {
    const wrong = await service.startAnother({ OIDC_CLIENT_SECRET: 'wrong', EXTERNAL_URL: service.baseUrl });
    const browser = createCookieBrowser(service.baseUrl);
    const url = new URL(await comeBack(browser));
    expect(await errorOf(browser, `${wrong.baseUrl}${url.pathname}${url.search}`)).toBe('503 issuer_unavailable');
    await wrong.stop();
  });
});

it('the sign-in page links to single sign-on only if there is a provider', async () => {
  const page = async ({ baseUrl }: { baseUrl: string }) => createCookieBrowser(baseUrl).send('/console/sign-in');
  expect((await page(service)).text).toContain('<a href="/console/sign-in/oidc">Single sign-on</a>');
  const without = await startTestService({}, { deliver: false });
  expect((await page(without)).text).not.toContain('Single sign-on');
  expect((await createCookieBrowser(without.baseUrl).send(start)).status).toBe(404);
  await without.stop();
});
