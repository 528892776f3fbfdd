import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createKey, keysPath } from '../support/api-keys.ts';
import { createCookieBrowser, type CookieBrowser, type Page } from '../support/cookie-browser.ts';
import { apiKey, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The error messages of sessions. Other tests compare `code`. */

let service: TestService;
let browser: CookieBrowser;
beforeAll(async () => {
  service = await startTestService({ AUTH_FAILURES_PER_SOURCE: '100000' }, { deliver: false });
  browser = createCookieBrowser(service.baseUrl);
});
afterAll(() => service.stop());

const path = '/api/v1/sessions';
const current = `${path}/current`;
const described = ({ status, body }: Page) => [[status, body.error.code, body.error.field].filter(Boolean).join(' '), body.error.message];
const signIn = (key: string) => browser.api('POST', path, { api_key: key });

it.each([
  [{}, '400 invalid_request api_key', 'api_key is required.'],
  [{ api_key: '' }, '400 invalid_request api_key', 'api_key must not be empty.'],
  [{ api_key: 'wrong' }, '401 unauthorized', 'Unknown API key.'],
  [
    { api_key: 'rcl_wrong' },
    '401 key_malformed',
    'This API key is incomplete or mistyped: its checksum does not match. Copy the whole key, from rcl_ on.',
  ],
])('a sign-in with %j fails', async (request, error, message) => {
  expect(described(await browser.api('POST', path, request))).toEqual([error, message]);
});

it('a sign-in is bounded', async () => {
  expect(described(await signIn('a'.repeat(501)))).toEqual(['400 invalid_request api_key', 'api_key may have at most 500 characters.']);
  expect(described(await signIn('a'.repeat(9_000)))).toEqual([
    '413 payload_too_large',
    'The body is larger than 8192 bytes (fixed limit).',
  ]);
});

it('a request from another site is rejected with the reason', async () => {
  const response = await browser.api('POST', path, { api_key: apiKey }, { origin: 'https://evil.example' });
  expect(described(response)).toEqual([
    '403 foreign_origin',
    'A request with a session must come from a page of this service: its Sec-Fetch-Site or Origin names another site, or is missing. Programs use an API key.',
  ]);
});

it('a session that is not accepted says why', async () => {
  browser.cookies.set('rollcall_session', { value: 'A'.repeat(43), path: '/' });
  expect(described(await browser.api('GET', current))).toEqual(['401 session_unknown', 'There is no such session: sign in again.']);
  const key = await createKey(service);
  await signIn(key.key);
  await service.api('DELETE', `${keysPath}/${key.id}`);
  const ended = await until(async () => {
    const response = await browser.api('GET', current);
    return response.status === 401 && response;
  });
  expect(described(ended)).toEqual([
    '401 session_ended',
    'This session has ended. Its API key was revoked, was rotated, or has expired. Sign in again.',
  ]);
  expect(described(await browser.api('GET', current, undefined, { authorization: `Api-Key ${apiKey}` }))).toEqual([
    '401 session_unknown',
    'This request has an API key and no session, so there is no session to end.',
  ]);
});

it('a login link that does not work, and one that a session asks for, say why', async () => {
  const form = (fields: Record<string, string>) =>
    browser.send('/console/login', { method: 'POST', form: fields, headers: { accept: 'application/json' } });
  const invalid = 'This sign-in link was used, has expired, or is incomplete. Print another one with `rollcall console login`.';
  expect(described(await form({ token: 'A'.repeat(43) }))).toEqual(['401 login_link_invalid', invalid]);
  expect(described(await form({ token: 'A'.repeat(501) }))).toEqual([
    '400 invalid_request token',
    'token must be given once, with at most 500 characters.',
  ]);
  await signIn(apiKey);
  expect(described(await browser.api('POST', '/api/v1/login-links'))).toEqual([
    '403 insufficient_scope',
    'A session cannot create a login link: send the request with an API key.',
  ]);
});
