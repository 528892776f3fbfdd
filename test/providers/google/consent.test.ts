import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGoogleProvider } from '../../../src/providers/google/provider.ts';
import { startFakeGoogle, type FakeGoogle } from '../../support/google/fake-google.ts';
import { createConnection, createProvider, never } from '../../support/google/open-google.ts';

const redirectUrl = 'https://rollcall.example/oauth/callback';
const codeVerifier = randomBytes(32).toString('base64url');
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
const consentRequest = { state: 'a state', codeChallenge, redirectUrl, connection: createConnection() };

let google: FakeGoogle;
beforeEach(async () => {
  google = await startFakeGoogle();
});
afterEach(async () => google.stop());

async function giveConsent() {
  const back = new URL(await google.consent(createProvider(google).authorizationUrl(consentRequest)));
  expect(back.searchParams.get('state')).toBe('a state');
  return back.searchParams.get('code')!;
}

describe('authorization URL', () => {
  it('asks for a lasting authorization for the three scopes, bound to a challenge', () => {
    const url = new URL(createProvider(google).authorizationUrl(consentRequest));
    expect(url.origin + url.pathname).toBe(google.addresses.authUrl);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      access_type: 'offline',
      prompt: 'consent',
      scope: [
        'https://www.googleapis.com/auth/admin.directory.user.readonly',
        'https://www.googleapis.com/auth/admin.directory.group.readonly',
        'https://www.googleapis.com/auth/admin.directory.group.member.readonly',
      ].join(' '),
      state: 'a state',
      response_type: 'code',
      client_id: google.clientId,
      redirect_uri: redirectUrl,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    });
  });

  it('names the domain if there is one', () => {
    const url = new URL(
      createProvider(google).authorizationUrl({ ...consentRequest, connection: createConnection({ domain: 'example.com' }) }),
    );
    expect(url.searchParams.get('hd')).toBe('example.com');
  });

  it("leads to Google's own page by default", () => {
    const url = new URL(createGoogleProvider({ clientId: 'a', clientSecret: 'b' }).authorizationUrl(consentRequest));
    expect(url.origin + url.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
  });

  it('is not created without a client', () => {
    expect(() => createGoogleProvider().authorizationUrl(consentRequest)).toThrow(
      expect.objectContaining({ kind: 'rejected', message: expect.stringContaining('DSYNC_GOOGLE_CLIENT_ID') }),
    );
  });
});

describe('authorization code', () => {
  it('is exchanged for tokens that give access to the directory', async () => {
    const beforeMs = Date.now();
    const tokens = await createProvider(google).exchangeCode({ code: await giveConsent(), codeVerifier, redirectUrl });
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^ya29\./),
      refresh_token: expect.stringMatching(/^1\/\//),
      scope: expect.stringContaining('admin.directory.group.member.readonly'),
      token_type: 'Bearer',
      expiry_date: expect.any(Number),
    });
    expect(tokens.expiry_date).toBeGreaterThanOrEqual(beforeMs + 3_600_000);
    expect(tokens.expiry_date).toBeLessThanOrEqual(Date.now() + 3_600_000);
    google.addUser();
    const connection = createConnection({ accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
    const source = createProvider(google).open(connection, { onRenewed: async () => undefined });
    expect(await source.listUsers({ signal: never })).toMatchObject({ listed: 1 });
  });

  it('is rejected without its verifier, and when it is used again', async () => {
    const provider = createProvider(google);
    const rejected = { kind: 'rejected', message: expect.stringContaining('authorization code') };
    const stolen = { code: await giveConsent(), codeVerifier: undefined, redirectUrl };
    await expect(provider.exchangeCode(stolen)).rejects.toMatchObject(rejected);
    await expect(provider.exchangeCode({ ...stolen, code: await giveConsent(), codeVerifier: 'x'.repeat(43) })).rejects.toMatchObject(
      rejected,
    );
    const used = { code: await giveConsent(), codeVerifier, redirectUrl };
    await provider.exchangeCode(used);
    await expect(provider.exchangeCode(used)).rejects.toMatchObject(rejected);
  });

  it('reports that the redirect URI is not registered', async () => {
    const request = { code: await giveConsent(), codeVerifier, redirectUrl: 'https://elsewhere.example' };
    await expect(createProvider(google).exchangeCode(request)).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('redirect URI'),
    });
  });

  it('reports that the client is wrong', async () => {
    const request = { code: await giveConsent(), codeVerifier, redirectUrl };
    await expect(createProvider(google, { clientSecret: 'wrong' }).exchangeCode(request)).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('DSYNC_GOOGLE_CLIENT_SECRET'),
    });
  });

  it.each([
    ['no refresh token', { access_token: 'a', expires_in: 3599 }, 'rejected', /no refresh token.*authorize again/],
    ['no access token', { refresh_token: 'r', expires_in: 3599 }, 'invalid_response', /access_token/],
    ['no end', { access_token: 'a', refresh_token: 'r' }, 'invalid_response', /expiry_date/],
    ['a list', [], 'invalid_response', /./],
    ['null', 'null', 'invalid_response', /not the documented JSON object/],
    ['a page of HTML', '<h1>secret</h1>', 'invalid_response', /not the documented JSON object/],
  ])('is not accepted if the response is %s', async (_, body, kind, message) => {
    google.failNext('token', { body });
    await expect(createProvider(google).exchangeCode({ code: 'secret', codeVerifier, redirectUrl })).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  it.each([
    [500, 'unreachable'],
    [429, 'busy'],
  ])('is sent once, even if the response is %d', async (status, kind) => {
    google.failNext('token', { status, body: 'secret' });
    await expect(createProvider(google).exchangeCode({ code: 'secret', codeVerifier, redirectUrl })).rejects.toMatchObject({ kind });
    expect(google.requests).toHaveLength(1);
  });

  it('is abandoned if the caller has left', async () => {
    const leaving = new AbortController();
    google.before('token', () => leaving.abort(new Error('leaves')));
    google.failNext('token', 'hang');
    const request = { code: 'a', codeVerifier, redirectUrl, signal: leaving.signal };
    await expect(createProvider(google).exchangeCode(request)).rejects.toThrow('leaves');
  });
});

it('reports that consent was denied', async () => {
  const back = new URL(await google.consent(createProvider(google).authorizationUrl(consentRequest), { deny: true }));
  expect(Object.fromEntries(back.searchParams)).toEqual({ state: 'a state', error: 'access_denied' });
});
