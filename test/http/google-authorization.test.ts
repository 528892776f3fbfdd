import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { createBrowser } from '../support/browser.ts';
import { useGoogleService } from '../support/google-service.ts';
import { changed, googleEnv, toPulledDirectory } from '../support/pulled-directories.ts';
import { startTestService, type ServiceResponse, type TestService } from '../support/service.ts';

let google: FakeGoogle;
let service: TestService;
useGoogleService((started) => ({ google, service } = started));
beforeAll(() => {
  google.addUser({ primaryEmail: 'ada@acme.example' });
});

const root = '/api/v1/directory-sync';
async function createUnauthorized(fields: Record<string, unknown> = {}) {
  const { body } = await service.api('POST', root, {
    tenant: 'acme',
    product: 'app',
    type: 'google',
    google_domain: 'acme.example',
    ...fields,
  });
  return toPulledDirectory(service, body.data.id);
}
const post = (path: string, body?: unknown) => service.api('POST', path, body);
const errorIn = ({ status, body }: ServiceResponse) => [status, body.error.code, body.error.field];

/** The address that Google redirects to. */
async function consentTo(path: string, options?: { deny?: boolean }): Promise<string> {
  const { body } = await post(`${path}/google/authorization-url`);
  return google.consent(body.data.authorizationUrl, options);
}
/** Follows the link on the consent page, if it is shown. */
const followRedirect = (location: string, accept = 'application/json', browser = createBrowser()) =>
  browser.openAndContinue(location, accept);

const authorizeAddress = (id: string) => `${service.baseUrl}/api/scim/oauth/authorize?directoryId=${id}`;

describe('consent', () => {
  it('leads the administrator to Google and back, stores the authorization, and starts a sync', async () => {
    const directory = await createUnauthorized();
    expect(await directory.get()).toMatchObject({ google_authorization: 'needs_authorization', google_authorization_error: null });
    const rejected = await directory.requestSync();
    expect([rejected.status, rejected.body.error.message]).toEqual([400, expect.stringMatching(/not authorized yet/)]);

    const browser = createBrowser();
    const there = await browser.openAndContinue(authorizeAddress(directory.id));
    const url = new URL(there.location!);
    expect([there.status, `${url.origin}${url.pathname}`]).toEqual([302, google.addresses.authUrl]);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: google.clientId,
      redirect_uri: `${service.baseUrl}/api/scim/oauth/callback`,
      response_type: 'code',
      access_type: 'offline',
      prompt: 'consent',
      scope: ['user', 'group', 'group.member'].map((part) => `https://www.googleapis.com/auth/admin.directory.${part}.readonly`).join(' '),
      state: expect.any(String),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      hd: 'acme.example',
    });

    const page = await browser.open(await google.consent(url.href));
    expect([page.status, page.headers.get('content-type'), page.text]).toEqual([
      200,
      'text/html; charset=utf-8',
      expect.stringMatching(/^<!doctype html>[\s\S]*The directory is authorized/),
    ]);
    expect([page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
    expect(await directory.get()).toMatchObject({
      google_authorization: 'authorized',
      google_access_token: expect.stringMatching(/^ya29/),
      google_refresh_token: expect.stringMatching(/^1\/\//),
    });
    const run = await directory.untilNewestEnded();
    expect([run.state, run.trigger, run.changed]).toEqual(['succeeded', 'authorization', changed({ users: [1, 0, 0] })]);
    expect(await directory.describeNewEvents()).toEqual(['user.created ada@acme.example']);
    const row = await service.db('directories').where({ id: directory.id }).first();
    expect(JSON.stringify(row)).not.toMatch(/ya29|1\/\//);
    expect(row.google_token_expires_at).toBeInstanceOf(Date);
  });

  it('works once, and reveals nothing to later visitors', async () => {
    const directory = await createUnauthorized();
    const location = await consentTo(directory.path);
    expect((await followRedirect(location)).status).toBe(200);
    const { google_access_token: token } = await directory.get();
    const again = await followRedirect(location);
    expect([again.status, again.error]).toEqual([400, expect.objectContaining({ code: 'invalid_request', field: 'state' })]);
    expect((await directory.get()).google_access_token).toBe(token);
    const open = await fetch(`${service.baseUrl}/api/scim/oauth/authorize?directoryId=${directory.id}`, { redirect: 'manual' });
    expect(open.status).toBe(403);
  });

  it('cannot be replaced by a public link that was opened before it was completed', async () => {
    const directory = await createUnauthorized();
    const begin = async () => {
      const browser = createBrowser();
      const { location } = await browser.openAndContinue(authorizeAddress(directory.id));
      return { browser, location: await google.consent(location!) };
    };
    const [administrator, stranger] = [await begin(), await begin()];
    expect((await administrator.browser.open(administrator.location)).status).toBe(200);
    const { google_refresh_token: token } = await directory.get();
    expect((await stranger.browser.open(stranger.location)).status).toBe(403);
    expect((await directory.get()).google_refresh_token).toBe(token);
    // The API may replace it.
    expect((await followRedirect(await consentTo(directory.path))).status).toBe(200);
    expect((await directory.get()).google_refresh_token).not.toBe(token);
  });

  it('survives a short failure of Google, and link scanners', async () => {
    const directory = await createUnauthorized();
    const location = await consentTo(directory.path);
    expect((await fetch(location, { method: 'HEAD' })).status).toBe(405);
    google.failNext('token', { status: 500, body: {} });
    expect((await followRedirect(location)).status).toBe(200);
  });

  it('fails when it was denied, took too long, is for an unknown directory, or has a forged state', async () => {
    const directory = await createUnauthorized();
    const denied = await consentTo(directory.path, { deny: true });
    expect((await followRedirect(denied)).error.message).toMatch(/not granted\. Nothing was changed/);
    const page = await followRedirect(denied, 'text/html');
    expect([page.status, page.text]).toEqual([400, expect.stringMatching(/<h1>The request failed<\/h1>[\s\S]*not granted/)]);

    const late = await consentTo(directory.path);
    await service
      .db('authorization_requests')
      .where({ directory_id: directory.id })
      .update({ expires_at: new Date(Date.now() - 1_000) });
    expect((await followRedirect(late)).error).toMatchObject({ field: 'state', message: expect.stringMatching(/ten minutes/) });

    const location = new URL(await consentTo(directory.path));
    const state = location.searchParams.get('state')!;
    for (const forged of ['x', `${state.slice(0, -2)}AA`, state.toUpperCase(), 'a'.repeat(5_000)]) {
      const other = new URL(location);
      other.searchParams.set('state', forged);
      expect([forged, (await followRedirect(other.href)).status]).toEqual([forged, 400]);
    }
    for (const broken of ['', '?code=a', `?state=${state}`, `?state=${state}&state=${state}&code=a`, '?error=<script>alert(1)</script>']) {
      const response = await followRedirect(`${service.baseUrl}/api/scim/oauth/callback${broken}`, 'text/html');
      expect([response.status, response.text.includes('<script>')]).toEqual([400, false]);
    }
    location.searchParams.set('code', '4/of-nobody');
    expect((await followRedirect(location.href)).error).toMatchObject({ code: 'invalid_request', field: 'code' });
    expect(await directory.get()).toMatchObject({ google_authorization: 'needs_authorization', google_access_token: '' });

    const gone = await consentTo(directory.path);
    await service.api('DELETE', directory.path);
    expect((await followRedirect(gone)).status).toBe(400);
  });

  it("is not valid for another directory, nor with another service's key", async () => {
    const [one, other] = await Promise.all([createUnauthorized(), createUnauthorized()]);
    const location = new URL(await consentTo(one.path));
    const [code, state] = ['code', 'state'].map((name) => location.searchParams.get(name));
    expect(errorIn(await post(`${other.path}/google/exchange`, { code, state }))).toEqual([400, 'invalid_request', 'state']);
    // The wrong directory has not used up the state.
    expect((await post(`${one.path}/google/exchange`, { code: 'bogus' })).status).toBe(400);
    expect((await post(`${one.path}/google/exchange`, { code, state })).status).toBe(200);
    const stranger = await startTestService(googleEnv(google), { deliver: false });
    try {
      const { search } = new URL(await consentTo(one.path));
      expect((await followRedirect(`${stranger.baseUrl}/api/scim/oauth/callback${search}`)).status).toBe(400);
    } finally {
      await stranger.stop();
    }
  });

  it('logs no code, state or token', async () => {
    const directory = await createUnauthorized();
    const location = new URL(await consentTo(directory.path));
    await followRedirect(location.href);
    await followRedirect(location.href);
    location.searchParams.set('error', 'access_denied');
    await followRedirect(location.href);
    const lines = service.logs.filter(({ path }) => path === '/api/scim/oauth/callback');
    expect(lines.length).toBeGreaterThanOrEqual(3);
    const log = JSON.stringify(service.logs);
    for (const name of ['code', 'state']) expect(log).not.toContain(location.searchParams.get(name));
    expect(log).not.toMatch(/ya29\.fake|1\/\/fake|4\/fake|GOCSPX/);
  });
});

describe('the steps of an authorization with an API key', () => {
  it.each(['with its state', 'without its state'])('return the tokens of a code %s, store nothing, and accept tokens', async (how) => {
    const directory = await createUnauthorized();
    const { searchParams } = new URL(await consentTo(directory.path));
    const { body } = await post(`${directory.path}/google/exchange`, {
      code: searchParams.get('code'),
      ...(how === 'with its state' && { state: searchParams.get('state') }),
    });
    expect(body.data).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      scope: expect.stringContaining('admin.directory.user.readonly'),
      token_type: 'Bearer',
      expiry_date: expect.any(Number),
    });
    expect(await directory.get()).toMatchObject({ google_authorization: 'needs_authorization', google_access_token: '' });
    const set = await post(`${directory.path}/google/token`, body.data);
    expect(set.body.data).toMatchObject({ google_authorization: 'authorized', google_access_token: body.data.access_token });
  });

  it('reject an invalid token and an invalid code', async () => {
    const { path } = await createUnauthorized();
    for (const [rest, body, field] of [
      ['token', {}, 'accessToken'],
      ['token', { accessToken: 'a' }, 'refreshToken'],
      ['token', { accessToken: 'a', refreshToken: ' ' }, 'refreshToken'],
      ['token', { accessToken: 'a', refreshToken: 'b', expiry_date: 'tomorrow' }, 'expiry_date'],
      ['exchange', {}, 'code'],
      ['exchange', { code: 'none' }, 'code'],
      ['exchange', { code: 'none', state: 'forged' }, 'state'],
    ] as const)
      expect([rest, body, errorIn(await post(`${path}/google/${rest}`, body))]).toEqual([rest, body, [400, 'invalid_request', field]]);
  });

  it('fail for an unknown directory, a pushed one, and when Google is unavailable', async () => {
    const pushed = await service.createDirectory();
    const bodies = {
      'google/authorization-url': undefined,
      'google/exchange': { code: 'a' },
      'google/token': { accessToken: 'a', refreshToken: 'b' },
      sync: undefined,
    };
    for (const [rest, body] of Object.entries(bodies)) {
      expect([rest, (await post(`${root}/01a1ff30-c146-729a-bf4b-5952806c3447/${rest}`, body)).status]).toEqual([rest, 404]);
      expect([rest, (await post(`${root}/nonsense/${rest}`, body)).status]).toEqual([rest, 404]);
      const { status, body: response } = await post(`${root}/${pushed.id}/${rest}`, body);
      expect([rest, status, response.error.message]).toEqual([rest, 400, expect.stringMatching(/of type generic-scim-v2/)]);
    }
    expect((await service.api('GET', `${root}/${pushed.id}/syncs`)).status).toBe(400);
    const authorize = (query: string) => fetch(`${service.baseUrl}/api/scim/oauth/authorize${query}`, { redirect: 'manual' });
    expect([(await authorize('')).status, (await authorize('?directoryId=none')).status]).toEqual([400, 404]);
    // Without a key, the response does not reveal that a directory of another type exists.
    expect((await authorize(`?directoryId=${pushed.id}`)).status).toBe(404);

    const directory = await createUnauthorized();
    const { searchParams } = new URL(await consentTo(directory.path));
    google.failNext('token', 'drop', 3);
    expect((await post(`${directory.path}/google/exchange`, { code: searchParams.get('code') })).status).toBe(503);
  });

  it('require an API key', async () => {
    const { path } = await createUnauthorized();
    for (const [method, rest] of [
      ['POST', '/google/authorization-url'],
      ['POST', '/google/exchange'],
      ['POST', '/google/token'],
      ['POST', '/sync'],
      ['GET', '/syncs'],
      ['GET', '/syncs/01a1ff30-c146-729a-bf4b-5952806c3447'],
      ['POST', '/syncs/01a1ff30-c146-729a-bf4b-5952806c3447/cancel'],
    ] as const)
      expect([rest, (await service.api(method, `${path}${rest}`, undefined, { authorization: 'Api-Key wrong' })).status]).toEqual([
        rest,
        401,
      ]);
    const cron = await fetch(`${service.baseUrl}/api/v1/dsync/cron/sync-google`, { method: 'POST' });
    expect(cron.status).toBe(401);
  });

  it('name the missing setting when no client is configured', async () => {
    const bare = await startTestService({}, { deliver: false });
    try {
      const { body } = await bare.api('POST', root, { tenant: 'acme', product: 'app', type: 'google' });
      const said = /DSYNC_GOOGLE_CLIENT_ID/;
      for (const [rest, sent] of [
        ['authorization-url', undefined],
        ['exchange', { code: 'a' }],
      ] as const) {
        const { status, body: response } = await bare.api('POST', `${root}/${body.data.id}/google/${rest}`, sent);
        expect([rest, status, response.error.message]).toEqual([rest, 503, expect.stringMatching(said)]);
      }
      const page = await fetch(`${bare.baseUrl}/api/scim/oauth/authorize?directoryId=${body.data.id}`, {
        headers: { accept: 'text/html' },
      });
      expect([page.status, await page.text()]).toEqual([503, expect.stringMatching(said)]);
    } finally {
      await bare.stop();
    }
  });
});
