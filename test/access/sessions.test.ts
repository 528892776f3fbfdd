import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectRejectedWithinASecond } from '../support/rejected.ts';
import { readAuditLog } from '../support/audit.ts';
import { createKey, keysPath } from '../support/api-keys.ts';
import { createCookieBrowser } from '../support/cookie-browser.ts';
import { root } from '../support/operate.ts';
import { apiKey, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let another: Awaited<ReturnType<TestService['startAnother']>>;
beforeAll(async () => {
  service = await startTestService({ AUTH_FAILURES_PER_SOURCE: '100000' }, { deliver: false });
  another = await service.startAnother();
});
afterAll(async () => {
  await another.stop();
  await service.stop();
});

const path = '/api/v1/sessions';
const current = `${path}/current`;

/** A browser that has signed in with the key. */
async function signIn(key: string = apiKey, browser = createCookieBrowser(service.baseUrl)) {
  const response = await browser.api('POST', path, { api_key: key });
  expect(response.status).toBe(201);
  return { ...browser, response, token: browser.session()! };
}

/** Sends the cookie to the other process. */
const elsewhere = async (token: string, to = current) =>
  fetch(`${another.baseUrl}${to}`, { headers: { cookie: `rollcall_session=${token}` } });

const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code;

describe('a session with an API key', () => {
  it('has the rights of the key in every process, and the audit log names the key', async () => {
    const key = await createKey(service, { name: 'console', preset: 'admin', tenant: 'acme' });
    const other = await service.createDirectory({ tenant: 'other' });
    const { api, response, token } = await signIn(key.key);
    expect(response.body.data).toMatchObject({
      actor: { type: 'api_key', id: key.id, name: 'console' },
      method: 'api_key',
      role: null,
      tenant: 'acme',
    });
    expect((await api('GET', current)).body.data).toEqual(response.body.data);
    expect((await api('GET', `${root}/${other.id}`)).status).toBe(404);
    expect((await api('GET', '/metrics')).status).toBe(401);
    const created = await api('POST', root, { tenant: 'acme', product: 'session' });
    expect(created.status).toBe(201);
    expect((await elsewhere(token, `${root}/${created.body.data.id}`)).status).toBe(200);
    const [entry] = await readAuditLog(service, { directory_id: created.body.data.id, action: 'directory.created' });
    expect(entry!.actor).toEqual({ type: 'api_key', id: key.id, name: 'console' });
    const [signedIn] = await readAuditLog(service, { action: 'sign_in.succeeded', actor: key.id });
    expect(signedIn).toMatchObject({
      targets: [{ type: 'session', id: response.body.data.id }],
      changes: { method: 'api_key' },
      context: { location: expect.stringContaining('127.0.0.1') },
    });
  });

  it('lacks the scopes that the key lacks', async () => {
    const key = await createKey(service, { scopes: ['people:read'] });
    const { api } = await signIn(key.key);
    const response = await api('GET', `${root}/all`);
    expect([response.status, response.body.error.code]).toEqual([403, 'insufficient_scope']);
  });

  it.each([
    ['revoked', (id: string) => service.api('DELETE', `${keysPath}/${id}`)],
    ['rotated without an overlap', (id: string) => service.api('POST', `${keysPath}/${id}/rotate`, { overlap_seconds: 0 })],
  ])('ends in every process within a second after the key is %s', async (_how, change) => {
    const key = await createKey(service);
    const { token } = await signIn(key.key);
    for (let request = 0; request < 3; request += 1) expect((await elsewhere(token)).status).toBe(200);
    await change(key.id);
    await expectRejectedWithinASecond(() => elsewhere(token));
    expect(await codeOf(await elsewhere(token))).toBe('session_ended');
  });

  it('that began with a login link has the rights of the narrowed key, and ends with it', async () => {
    const key = await createKey(service, { preset: 'admin', tenant: 'acme' });
    const link = await key.api('POST', '/api/v1/login-links');
    const browser = createCookieBrowser(service.baseUrl);
    const token = new URL(link.body.data.url).searchParams.get('token')!;
    await browser.send('/console/login', { method: 'POST', form: { token } });
    expect((await browser.api('GET', current)).body.data).toMatchObject({ actor: { id: key.id }, method: 'login_link', tenant: 'acme' });
    await service.api('DELETE', `${keysPath}/${key.id}`);
    expect((await browser.api('GET', current)).body.error.code).toBe('session_ended');
  });

  it('cannot begin with a login link from a network that the key is not allowed in, and can later', async () => {
    const key = await createKey(service, { preset: 'admin' });
    const link = await key.api('POST', '/api/v1/login-links');
    const form = { token: new URL(link.body.data.url).searchParams.get('token')! };
    const use = () => createCookieBrowser(service.baseUrl).send('/console/login', { method: 'POST', form });
    await service.api('PATCH', `${keysPath}/${key.id}`, { allowed_networks: ['192.0.2.0/24'] });
    const rejected = await use();
    expect([rejected.status, rejected.body.error.code]).toEqual([403, 'key_network']);
    await service.api('PATCH', `${keysPath}/${key.id}`, { allowed_networks: ['127.0.0.0/8'] });
    expect((await use()).status).toBe(303);
  });

  it('that is signed out everywhere deletes the login links of its key, and no others', async () => {
    const [key, otherKey] = [await createKey(service, { preset: 'admin' }), await createKey(service, { preset: 'admin' })];
    const rotated = await service.api('POST', `${keysPath}/${key.id}/rotate`, { overlap_seconds: 3_600 });
    await key.api('POST', '/api/v1/login-links');
    await otherKey.api('POST', '/api/v1/login-links');
    const { api } = await signIn(rotated.body.data.key);
    expect((await api('DELETE', path)).body.data).toEqual({ ended: 1 });
    const left = await service.db('login_links').whereIn(
      'key_prefix',
      [key.key, otherKey.key].map((value) => value.slice(0, 12)),
    );
    expect(left.map((link) => link.key_prefix)).toEqual([otherKey.key.slice(0, 12)]);
    const [entry] = await readAuditLog(service, { action: 'session.ended', actor: key.id });
    expect(entry!.changes).toEqual({ of: 'person', sessions: 1, login_links: 1 });
  });

  it('cannot be used from a network that the key is not allowed in', async () => {
    const key = await createKey(service);
    const { api } = await signIn(key.key);
    await service.api('PATCH', `${keysPath}/${key.id}`, { allowed_networks: ['192.0.2.0/24'] });
    const response = await api('GET', current);
    expect([response.status, response.body.error.code]).toEqual([403, 'key_network']);
  });

  it('stores and logs neither the key nor the token', async () => {
    const key = await createKey(service);
    const { token } = await signIn(key.key);
    const rows = JSON.stringify(await service.db('sessions').select(service.db.raw('to_jsonb(sessions) as row')));
    const logged = JSON.stringify(service.logs);
    for (const secret of [key.key, token, apiKey]) expect([rows.includes(secret), logged.includes(secret)]).toEqual([false, false]);
  });
});

describe('signing out', () => {
  it('ends the session in every process within a second', async () => {
    const { api, token, cookies } = await signIn();
    expect((await elsewhere(token)).status).toBe(200);
    const response = await api('DELETE', current);
    const rejected = expectRejectedWithinASecond(() => elsewhere(token));
    expect([response.body.data, cookies.size]).toEqual([{ ended: 1 }, 0]);
    const again = await fetch(`${service.baseUrl}${current}`, { headers: { cookie: `rollcall_session=${token}` } });
    expect([again.status, await codeOf(again)]).toEqual([401, 'session_ended']);
    await rejected;
  });

  it('everywhere ends the sessions of the same key, and no other', async () => {
    const [key, otherKey] = [await createKey(service), await createKey(service)];
    const [first, second, other] = [await signIn(key.key), await signIn(key.key), await signIn(otherKey.key)];
    expect((await first.api('DELETE', path)).body.data).toEqual({ ended: 2 });
    expect((await second.api('GET', current)).body.error.code).toBe('session_ended');
    expect((await other.api('GET', current)).status).toBe(200);
    const [entry] = await readAuditLog(service, { action: 'session.ended', actor: key.id });
    expect(entry!.changes).toEqual({ of: 'person', sessions: 2 });
  });

  it('for everyone requires keys:write and a key or session that is not narrowed', async () => {
    const { api } = await signIn((await createKey(service)).key);
    const narrowed = await createKey(service, { preset: 'admin', tenant: 'acme' });
    expect((await api('DELETE', `${path}/all`)).body.error.code).toBe('insufficient_scope');
    expect((await narrowed.api('DELETE', `${path}/all`)).body.error.code).toBe('key_narrowed');
    expect((await api('GET', current)).status).toBe(200);
    const admin = await signIn();
    expect((await admin.api('DELETE', `${path}/all`)).body.data.ended).toBeGreaterThanOrEqual(2);
    for (const one of [api, admin.api]) expect((await one('GET', current)).body.error.code).toBe('session_ended');
  });
});

describe('a stolen or forged session', () => {
  const changes: [string, string][] = [
    ['POST', root],
    ['DELETE', current],
    ['DELETE', path],
    ['POST', `${root}/cron/process-events`],
    ['GET', `${root}/cron/process-events`],
    ['POST', '/console/sign-out'],
    ['POST', path],
  ];
  const foreign: Record<string, Record<string, string>> = {
    'another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    'another site, without Sec-Fetch-Site': { origin: 'https://evil.example' },
    'another host of the site': { 'sec-fetch-site': 'same-site' },
    'a sandbox': { origin: 'null' },
    'an unknown page': { origin: '' },
  };
  const cases = changes.flatMap(([method, to]) => Object.keys(foreign).map((from) => [method, to, from] as const));
  it.each(cases)('%s %s from %s is rejected', async (method, to, from) => {
    const browser = await signIn();
    const headers = { accept: 'application/json', ...foreign[from] };
    const response = await browser.send(to, { method, headers, ...(method !== 'GET' && { json: { api_key: apiKey } }) });
    expect([response.status, response.body.error.code]).toEqual([403, 'foreign_origin']);
    expect([(await browser.api('GET', current)).status, browser.session()]).toEqual([200, browser.token]);
  });

  it('is not read by a page of another site', async () => {
    const { api } = await signIn();
    const read = (site: string) => api('GET', `${root}/all`, undefined, { 'sec-fetch-site': site });
    expect((await read('cross-site')).body.error.code).toBe('foreign_origin');
    expect([(await read('same-origin')).status, (await read('none')).status]).toEqual([200, 200]);
  });

  it('gets a new token at each sign-in, which ends the session that the browser had', async () => {
    const { id, key } = await createKey(service, { preset: 'admin' });
    const browser = createCookieBrowser(service.baseUrl);
    browser.cookies.set('rollcall_session', { value: 'A'.repeat(43), path: '/' });
    const first = await signIn(key, browser);
    const second = await signIn(key, browser);
    expect(new Set(['A'.repeat(43), first.token, second.token]).size).toBe(3);
    expect(await codeOf(await elsewhere(first.token))).toBe('session_ended');
    expect((await second.api('GET', current)).status).toBe(200);
    const ended = await readAuditLog(service, { action: 'session.ended', target: first.response.body.data.id });
    expect(ended.map((entry) => [entry.actor.id, entry.changes])).toEqual([[id, null]]);
  });

  it.each(['', 'A'.repeat(43), 'A'.repeat(5_000), "' or 1=1"])('with the token %j is unknown', async (token) => {
    const response = await fetch(`${service.baseUrl}${current}`, { headers: { cookie: `rollcall_session=${token}` } });
    expect(response.status).toBe(401);
  });

  it('does not authenticate SCIM requests', async () => {
    const directory = await service.createDirectory();
    const { send } = await signIn();
    expect((await send(`/api/scim/v2.0/${directory.id}/Users`)).status).toBe(401);
  });

  it('has a cookie that no script reads, no other site sends and no other host sets', async () => {
    const { response } = await signIn();
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^rollcall_session=[\w-]{43}; Path=\/; Max-Age=4\d{4}; SameSite=Strict; HttpOnly$/);
    expect([response.headers.get('cache-control'), response.text.includes('token')]).toEqual(['no-store', false]);
    const proxied = await service.startAnother({ EXTERNAL_URL: 'https://sync.example' });
    const signedIn = await createCookieBrowser(proxied.baseUrl).api('POST', path, { api_key: apiKey }, { origin: 'https://sync.example' });
    const [secure] = signedIn.headers.getSetCookie();
    expect(secure).toMatch(/^__Host-rollcall_session=[\w-]{43}; Path=\/; Max-Age=\d+; SameSite=Strict; HttpOnly; Secure$/);
    const plain = secure!.split(';')[0]!.replace('__Host-', '');
    expect((await fetch(`${proxied.baseUrl}${current}`, { headers: { cookie: plain } })).status).toBe(401);
    await proxied.stop();
  });
});

it('a request with a key and a cookie uses the key', async () => {
  const key = await createKey(service, { scopes: ['people:read'] });
  const { api } = await signIn();
  const headers = { authorization: `Api-Key ${key.key}` };
  expect((await api('GET', `${root}/all`, undefined, headers)).body.error.code).toBe('insufficient_scope');
  expect((await api('GET', current, undefined, headers)).body.error.code).toBe('session_unknown');
  expect((await api('GET', `${root}/all`, undefined, { authorization: 'Api-Key wrong' })).status).toBe(401);
});

it('somebody has at most 20 sessions: the oldest ones end', async () => {
  const key = await createKey(service);
  const first = await signIn(key.key);
  for (let one = 0; one < 20; one += 1) await signIn(key.key);
  expect((await service.db('sessions').where({ person_id: key.id })).length).toBe(20);
  await until(async () => (await first.api('GET', current)).status === 401);
  expect((await readAuditLog(service, { action: 'session.ended', target: first.response.body.data.id })).length).toBe(1);
});

it('a request that waits for an event gets none after its session has ended', async () => {
  const directory = await service.createDirectory();
  const { api, token } = await signIn();
  const { body } = await api('GET', `/api/v1/events?directory_id=${directory.id}`);
  const waiting = elsewhere(token, `/api/v1/events?directory_id=${directory.id}&wait=20&after=${body.list_metadata.after}`);
  await until(async () => (await elsewhere(token)).status === 200);
  await api('DELETE', current);
  await until(async () => (await elsewhere(token)).status === 401);
  await directory.scim('POST', '/Users', { userName: 'ada@acme.example' });
  expect((await waiting).status).toBe(401);
});
