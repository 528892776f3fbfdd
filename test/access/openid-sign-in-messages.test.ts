import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { personIdOf } from '../../src/access/openid-fingerprint.ts';
import { createOpenIdSignIn, pendingForMs } from '../../src/access/openid-sign-in.ts';
import { createOpenIdProvider } from '../../src/providers/openid/create-openid-provider.ts';
import { untilRefused } from '../support/audit.ts';
import { createCookieBrowser, readError, type CookieBrowser } from '../support/cookie-browser.ts';
import { openIdSecret, type OpenIdServer } from '../support/openid-server.ts';
import { openIdClient, useOpenIdService } from '../support/openid-service.ts';
import type { TestService } from '../support/service.ts';

/** The error messages of sign-in with an OpenID provider. Other tests compare `code`. */

let openId: OpenIdServer;
let service: TestService;
let comeBack: (browser: CookieBrowser) => Promise<string>;
useOpenIdService((started) => ({ openId, service, comeBack } = started));

const idOf = (subject: string) => personIdOf(openId.issuer, subject);

/** Returns from the provider, and gets an error. */
async function failToSignIn() {
  const browser = createCookieBrowser(service.baseUrl);
  const error = await readError(browser, await comeBack(browser));
  expect(browser.session()).toBeUndefined();
  return error;
}

const begun = async () => {
  const browser = createCookieBrowser(service.baseUrl);
  return { browser, url: new URL(await comeBack(browser)) };
};

it('somebody without a mapped group is rejected, and named in the audit log', async () => {
  openId.state.person = { sub: 'eve', name: 'Eve', groups: ['staff'] };
  expect(await failToSignIn()).toEqual([
    '403 sign_in_no_role',
    "You are not in a group that may sign in here: the OpenID provider's claim groups lists no group of OIDC_ROLES. Ask the operator of this service.",
  ]);
  expect(await untilRefused(service, { actor: idOf('eve') })).toMatchObject({
    actor: { type: 'person', id: idOf('eve'), name: 'Eve' },
    changes: { at: 'sign_in', reason: 'sign_in_no_role' },
    result: 'refused',
  });
});

/** Returns a function that begins a sign-in, and returns a function that completes it. The provider responds with `claim`. */
function createBegin(claim: () => Promise<Record<string, unknown>>, { now = Date.now, issuer = 'https://login.example' } = {}) {
  const seal = { seal: (text: string) => text, open: (text: string) => text };
  const provider = { begin: ({ state }: { state: string }) => Promise.resolve(state), complete: claim };
  const roles = new Map([['a', 'viewer' as const]]);
  const signIn = createOpenIdSignIn({
    provider,
    seal,
    toClient: (address) => address,
    issuer,
    clientId: 'rollcall',
    roleClaim: 'groups',
    roles,
    now,
  });
  return async () => {
    const { url: state, cookie } = await signIn.begin('');
    return (client = '192.0.2.1') => signIn.complete(new URL(`http://127.0.0.1/console/callback?state=${state}`), cookie, client);
  };
}

describe('requests to the provider', () => {
  it('are sent once for each sign-in, even if it fails', async () => {
    const { browser, url } = await begun();
    const cookie = browser.cookies.get('rollcall_sign_in')!;
    url.searchParams.set('code', 'garbage');
    const before = openId.state.exchanges;
    const attempts = [];
    for (let one = 0; one < 3; one += 1) {
      browser.cookies.set('rollcall_sign_in', cookie);
      attempts.push(await readError(browser, url.href));
    }
    const again = ['400 sign_in_code_invalid', 'This sign-in was already completed, or has failed: sign in again.'];
    expect(attempts).toEqual([['400 sign_in_code_invalid', expect.stringContaining('The code')], again, again]);
    expect(openId.state.exchanges - before).toBe(1);
  });

  it('are not sent for an address with too many failures', async () => {
    const limited = await service.startAnother({ AUTH_FAILURES_PER_SOURCE: '1', EXTERNAL_URL: service.baseUrl });
    const stranger = createCookieBrowser(limited.baseUrl);
    for (let one = 0; one < 12; one += 1) await stranger.send('/console/callback?state=a');
    const { browser, url } = await begun();
    const before = openId.state.exchanges;
    expect(await readError(browser, `${limited.baseUrl}${url.pathname}${url.search}`)).toEqual([
      '429 rate_limited',
      expect.stringMatching(/^There were too many failed authentications from this address: AUTH_FAILURES_PER_SOURCE allows 1 a minute/),
    ]);
    expect(openId.state.exchanges).toBe(before);
    await limited.stop();
  });

  it('are at most 20 at the same time', async () => {
    let respond!: (claims: Record<string, unknown>) => void;
    const response = new Promise<Record<string, unknown>>((resolve) => (respond = resolve));
    const begin = createBegin(() => response);
    const waiting = await Promise.all(Array.from({ length: 20 }, begin));
    const completed = waiting.map((complete, place) => complete(`192.0.2.${place % 4}`));
    const another = await begin();
    await expect(another('192.0.2.9')).rejects.toMatchObject({
      code: 'issuer_unavailable',
      message: 'Too many people are signing in: try again soon.',
    });
    respond({ sub: 'a', groups: 'a' });
    expect((await Promise.all(completed)).length).toBe(20);
    expect(await another()).toMatchObject({ role: 'viewer' });
  });

  it('are at most 10 at the same time for one client', async () => {
    let respond!: (claims: Record<string, unknown>) => void;
    const response = new Promise<Record<string, unknown>>((resolve) => (respond = resolve));
    const begin = createBegin(() => response);
    const waiting = await Promise.all(Array.from({ length: 10 }, begin));
    const completed = waiting.map((complete) => complete('192.0.2.1'));
    const [another, ofOther] = [await begin(), await begin()];
    await expect(another('192.0.2.1')).rejects.toMatchObject({ code: 'issuer_unavailable' });
    completed.push(ofOther('192.0.2.2'));
    respond({ sub: 'a', groups: 'a' });
    expect((await Promise.all(completed)).length).toBe(11);
    expect(await another('192.0.2.1')).toMatchObject({ role: 'viewer' });
  });
});

it('equal subjects of two issuers are different people', async () => {
  const ids = ['https://one.example', 'https://two.example', 'https://one.example'].map(async (issuer) => {
    const complete = await createBegin(() => Promise.resolve({ sub: 'a', groups: 'a' }), { issuer })();
    return (await complete()).id;
  });
  const [one, two, oneAgain] = await Promise.all(ids);
  expect([one === two, one === oneAgain]).toEqual([false, true]);
});

const otherBrowser = [
  '400 sign_in_other_browser',
  'This sign-in did not begin in this browser, or the browser did not keep its cookie: sign in again here.',
];

describe('a sign-in of another browser', () => {
  it('fails without the state, with another state, and in another browser', async () => {
    const { browser, url } = await begun();
    const missing = new URL(url);
    missing.searchParams.delete('state');
    expect(await readError(createCookieBrowser(service.baseUrl), url.href)).toEqual(otherBrowser);
    expect(await readError(browser, missing.href)).toEqual([
      '400 sign_in_state_missing',
      'The OpenID provider sent no state, or several: sign in again.',
    ]);
    // The cookie is used up.
    expect(await readError(browser, url.href)).toEqual(otherBrowser);
    expect(await readError((await begun()).browser, url.href)).toEqual([
      '400 sign_in_state_mismatch',
      'The state is not that of the last sign-in in this browser: sign in again.',
    ]);
  });

  it('fails with a forged cookie', async () => {
    const { browser, url } = await begun();
    browser.cookies.set('rollcall_sign_in', { value: 'forged', path: '/console/callback' });
    expect(await readError(browser, url.href)).toEqual(otherBrowser);
  });

  it('is not used up by a program that scans the link', async () => {
    const { browser, url } = await begun();
    expect((await browser.send(url.href, { method: 'HEAD' })).status).toBe(405);
    expect((await browser.send(url.href)).status).toBe(200);
  });

  it('fails after ten minutes', async () => {
    let nowMs = 0;
    const begin = createBegin(() => Promise.resolve({ sub: 'a', groups: 'a' }), { now: () => nowMs });
    const [complete, completeLater] = [await begin(), await begin()];
    nowMs = pendingForMs;
    expect(await complete()).toMatchObject({ id: expect.stringMatching(/^oidc:[\da-f]{16}:a$/), name: 'a', role: 'viewer' });
    nowMs += 1;
    await expect(completeLater()).rejects.toMatchObject({
      code: 'sign_in_expired',
      message: 'This sign-in took longer than ten minutes: sign in again.',
    });
  });
});

const nowSeconds = () => Math.floor(Date.now() / 1_000);

describe('what the provider sends', () => {
  const alterations: Record<string, (claims: Record<string, unknown>) => Record<string, unknown>> = {
    'for another application': (claims) => ({ ...claims, aud: 'another' }),
    'of another provider': (claims) => ({ ...claims, iss: 'https://evil.example' }),
    'of another sign-in': (claims) => ({ ...claims, nonce: 'another' }),
    'two minutes too old': (claims) => ({ ...claims, iat: nowSeconds() - 600, exp: nowSeconds() - 120 }),
    'without a subject': (claims) => ({ ...claims, sub: undefined }),
  };
  const notSigned = 'The OpenID provider sent an ID token that is missing, malformed or not signed by it.';
  it.each([
    ['for another application', '401 sign_in_audience', 'The ID token is for another application: OIDC_CLIENT_ID is not its audience.'],
    ['of another provider', '401 sign_in_token_invalid', 'The claim iss of the ID token is not that of this sign-in.'],
    ['of another sign-in', '401 sign_in_token_invalid', 'The claim nonce of the ID token is not that of this sign-in.'],
    [
      'two minutes too old',
      '401 sign_in_clock',
      'The ID token is not valid at this time: the clocks of the OpenID provider and of this service differ by more than 60 s.',
    ],
    ['without a subject', '401 sign_in_token_invalid', notSigned],
  ])('is rejected if it is %s', async (name, error, message) => {
    openId.state.alterClaims = alterations[name];
    expect(await failToSignIn()).toEqual([error, message]);
  });

  it.each([-45, 45])('is accepted if the clocks differ by %i s', async (seconds) => {
    openId.state.alterClaims = (claims) => ({ ...claims, iat: nowSeconds() + seconds, exp: nowSeconds() - 30 });
    const { browser, url } = await begun();
    expect((await browser.send(url.href)).status).toBe(200);
  });

  it('is rejected if another key has signed it', async () => {
    openId.state.forgesSignature = true;
    expect(await failToSignIn()).toEqual(['401 sign_in_token_invalid', notSigned]);
  });

  it('is rejected if the code has expired or was used', async () => {
    const { browser, url } = await begun();
    await openId.destroyCode(url.searchParams.get('code')!);
    expect(await readError(browser, url.href)).toEqual([
      '400 sign_in_code_invalid',
      'The code of the OpenID provider has expired, was already used, or is not for this sign-in: sign in again.',
    ]);
  });

  it('may say that access was denied', async () => {
    openId.state.denies = true;
    expect(await failToSignIn()).toEqual(['403 sign_in_denied', 'The OpenID provider did not sign you in (access_denied).']);
  });

  it('is bounded', async () => {
    expect(await readError(createCookieBrowser(service.baseUrl), `/console/callback?state=${'a'.repeat(9_000)}`)).toEqual([
      '400 invalid_request',
      'The OpenID provider sent more than 8192 characters (fixed limit).',
    ]);
  });
});

describe('an unavailable provider', () => {
  const pending = { state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43), beganAtMs: 0 };
  const options = { clientId: openIdClient, clientSecret: openIdSecret, scope: 'openid', roleClaim: 'groups' };
  const unreachable = 'The OpenID provider at OIDC_ISSUER cannot be reached, or does not respond as one: try again soon.';
  const unavailable = { code: 'issuer_unavailable', message: unreachable };
  let silent: Server;
  beforeAll(async () => {
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void silent.close());

  it('gets 503', async () => {
    const away = await service.startAnother({ OIDC_ISSUER: 'http://127.0.0.1:9' });
    const browser = createCookieBrowser(away.baseUrl);
    expect(await readError(browser, '/console/sign-in/oidc')).toEqual(['503 issuer_unavailable', unreachable]);
    expect((await browser.send('/console/sign-in/oidc')).headers.get('retry-after')).toBe('5');
    await away.stop();
  });

  it('times out', async () => {
    const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const provider = createOpenIdProvider({ ...options, issuer, timeoutMs: 300 });
    await expect(provider.begin(pending, 'http://127.0.0.1/console/callback')).rejects.toMatchObject(unavailable);
  });

  it('is used again once it has recovered', async () => {
    const provider = createOpenIdProvider({ ...options, issuer: openId.issuer });
    const begin = () => provider.begin(pending, 'http://127.0.0.1/console/callback');
    await openId.during503(() => expect(begin()).rejects.toMatchObject(unavailable));
    expect(await begin()).toContain('code_challenge_method=S256');
  });

  it('does not accept a wrong client secret', async () => {
    const wrong = await service.startAnother({ OIDC_CLIENT_SECRET: 'wrong', EXTERNAL_URL: service.baseUrl });
    const { browser, url } = await begun();
    expect(await readError(browser, `${wrong.baseUrl}${url.pathname}${url.search}`)).toEqual([
      '503 issuer_unavailable',
      'The OpenID provider does not accept OIDC_CLIENT_ID with OIDC_CLIENT_SECRET: correct them.',
    ]);
    await wrong.stop();
  });
});
