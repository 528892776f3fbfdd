import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { callRollcall } from '../cli/run-rollcall.ts';
import { readAuditLog, untilRefused } from '../support/audit.ts';
import { createKey } from '../support/api-keys.ts';
import { createCookieBrowser } from '../support/cookie-browser.ts';
import { apiKey, startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { deliver: false });
});
afterAll(() => service.stop());

const open = () => createCookieBrowser(service.baseUrl);
const current = '/api/v1/sessions/current';

it('signs in with a key, and signs out, without JavaScript', async () => {
  const browser = open();
  const form = (await browser.send('/console/sign-in')).text;
  expect(form).toContain('<form method="post" action="/console/sign-in">');
  expect(form).toContain('<label>API key<input name="api_key" type="password"');
  const key = await createKey(service, { name: '<b>Ada</b>' });
  const signedIn = await browser.send('/console/sign-in', { method: 'POST', form: { api_key: ` ${key.key} ` } });
  expect([signedIn.status, signedIn.location]).toEqual([303, `${service.baseUrl}/console`]);
  expect((await browser.api('GET', current)).body.data.actor).toMatchObject({ id: key.id, name: '<b>Ada</b>' });
  const token = browser.session()!;
  expect((await browser.send('/console/sign-out', { method: 'POST', form: {} })).location).toBe(`${service.baseUrl}/console/sign-in`);
  expect(browser.cookies.size).toBe(0);
  expect((await fetch(`${service.baseUrl}${current}`, { headers: { cookie: `rollcall_session=${token}` } })).status).toBe(401);
  const [entry] = await readAuditLog(service, { action: 'session.ended', actor: key.id });
  expect(entry!.actor).toMatchObject({ type: 'api_key', id: key.id });
});

it('signs out everywhere', async () => {
  const [one, other] = [open(), open()];
  for (const browser of [one, other]) await browser.send('/console/sign-in', { method: 'POST', form: { api_key: apiKey } });
  await one.send('/console/sign-out', { method: 'POST', form: { everywhere: 'true' } });
  expect((await other.api('GET', current)).body.error.code).toBe('session_ended');
});

it('a link of `rollcall console login` signs in when its button is used, and only once', async () => {
  const { stdout, code } = await callRollcall(['console', 'login'], { env: { ROLLCALL_URL: service.baseUrl, ROLLCALL_API_KEY: apiKey } });
  const url = stdout.trim();
  expect([code, url]).toEqual([0, expect.stringMatching(/\/console\/login\?token=[\w-]{43}$/)]);
  const token = new URL(url).searchParams.get('token')!;
  expect(JSON.stringify(await service.db('login_links'))).not.toContain(token);
  for (const method of ['HEAD', 'GET', 'GET']) expect((await open().send(url, { method })).status).toBe(200);
  const browser = open();
  expect((await browser.send(url)).text).toContain(`<input type="hidden" name="token" value="${token}">`);
  const use = { method: 'POST', form: { token } };
  expect((await browser.send('/console/login', { ...use, headers: { origin: 'https://evil.example' } })).body.error.code).toBe(
    'foreign_origin',
  );
  expect((await browser.send('/console/login', use)).status).toBe(303);
  expect((await browser.api('GET', current)).body.data).toMatchObject({ actor: { id: 'root_1' }, method: 'login_link' });
  expect((await open().send('/console/login', use)).body.error.code).toBe('login_link_invalid');
  expect(JSON.stringify(service.logs)).not.toContain(token);
  const ended = await callRollcall(['console', 'sign-out-all'], { env: { ROLLCALL_URL: service.baseUrl, ROLLCALL_API_KEY: apiKey } });
  expect(ended.stdout).toMatch(/^Ended \d+ sessions?\.\n$/);
  expect((await browser.api('GET', current)).body.error.code).toBe('session_ended');
});

it.each(['/console/sign-in', '/console/login?token=a'])('%s runs no script and is not cached', async (path) => {
  const browser = open();
  await browser.send('/console/sign-in', { method: 'POST', form: { api_key: apiKey } });
  const { headers, text } = await browser.send(path);
  const style = /<style>([^]*)<\/style>/.exec(text)![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = headers.get('content-security-policy')!;
  expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'; form-action`);
  expect(policy).toContain("frame-ancestors 'none'; base-uri 'none'");
  expect([headers.get('cache-control'), headers.get('referrer-policy'), text.includes('<script')]).toEqual([
    'no-store',
    'same-origin',
    false,
  ]);
});

it.each([
  [{}, 400],
  [{ api_key: '' }, 400],
  [{ api_key: 'wrong' }, 401],
  [{ api_key: 'rcl_wrong' }, 401],
])('a form with %j fails, and leads back to the sign-in page', async (form, status) => {
  const browser = open();
  const page = await browser.send('/console/sign-in', { method: 'POST', form, headers: { accept: 'text/html' } });
  expect([page.status, browser.session()]).toEqual([status, undefined]);
  expect(page.text).toContain('<a href="/console/sign-in">Sign in</a>');
});

it('the size of a form is limited', async () => {
  const sizes = [500, 501, 9_000].map(async (size) => {
    const { status } = await open().send('/console/sign-in', { method: 'POST', form: { api_key: 'a'.repeat(size) } });
    return status;
  });
  expect(await Promise.all(sizes)).toEqual([401, 400, 413]);
});

it('failed sign-ins are limited and recorded like failed authentications', async () => {
  const limited = await startTestService({ AUTH_FAILURES_PER_SOURCE: '3' }, { deliver: false });
  const browser = createCookieBrowser(limited.baseUrl);
  const attempt = (key: string) => browser.api('POST', '/api/v1/sessions', { api_key: key });
  const codes = [];
  for (let one = 0; one < 5; one += 1) codes.push((await attempt('wrong')).body.error.code);
  expect(codes).toEqual(['unauthorized', 'unauthorized', 'unauthorized', 'rate_limited', 'rate_limited']);
  expect((await attempt(apiKey)).status).toBe(201);
  expect(await untilRefused(limited)).toMatchObject({
    actor: { type: 'anonymous' },
    changes: { at: 'sign_in', reason: 'unauthorized' },
    result: 'refused',
  });
  await limited.stop();
});

it('a session counts for the project of the key that it began with', async () => {
  const folder = await temporaryFolder();
  const file = folder.at('projects.json');
  const created = await createKey(service);
  const keys = [apiKey, created.key];
  await writeFile(file, JSON.stringify([{ id: 'small', plan: 'developer', environment: 'production', api_keys: keys }]));
  const limited = await service.startAnother({ LIMITS_PLAN: 'enterprise', LIMITS_PROJECTS_FILE: file });
  for (const key of [...keys, (await createKey(service)).key]) {
    const browser = createCookieBrowser(limited.baseUrl);
    await browser.api('POST', '/api/v1/sessions', { api_key: key });
    const { headers } = await browser.api('GET', current);
    expect(headers.get('ratelimit-policy')).toMatch(keys.includes(key) ? '"burst";q=5;' : '"burst";q=800;');
  }
  await limited.stop();
  await folder[Symbol.asyncDispose]();
});

it('with rate limits, a session counts as authenticated', async () => {
  const folder = await temporaryFolder();
  const rules = folder.at('rules.json');
  const limit = { rps: 4, rpm: 4 };
  await writeFile(
    rules,
    JSON.stringify({ volumetric: [{ name: 'strangers', by: 'address', authenticated: false, limit, action: 'enforce' }] }),
  );
  const limited = await startTestService({ LIMITS_PLAN: 'enterprise', LIMITS_RULES_FILE: rules }, { deliver: false });
  const browser = createCookieBrowser(limited.baseUrl);
  const signIn = () => browser.api('POST', '/api/v1/sessions', { api_key: apiKey });
  expect((await signIn()).status).toBe(201);
  expect((await browser.api('GET', current)).status).toBe(200);
  for (let one = 0; one < 6; one += 1)
    expect((await browser.api('POST', '/api/v1/directory-sync', { tenant: 'a', product: 'b' })).status).toBe(201);
  browser.cookies.clear();
  const statuses = [];
  for (let one = 0; one < 4; one += 1) statuses.push((await signIn()).status);
  expect(statuses.at(-1)).toBe(429);
  await limited.stop();
  await folder[Symbol.asyncDispose]();
});
