import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { startConsoleScene, type ConsolePage, type ConsoleScene } from '../support/console.ts';
import { apiKey } from '../support/service.ts';
import { until } from '../support/until.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await startConsoleScene();
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

/** The name, or the text, of what has the focus. */
const focused = (page: ConsolePage) =>
  page.evaluate<string>('(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim()');
async function tabTo(page: ConsolePage, name: string) {
  for (let presses = 0; presses < 60 && (await focused(page)) !== name; presses += 1) await page.press('Tab');
  expect(await focused(page)).toBe(name);
}

it('works with the keyboard alone: from signing in to pausing a delivery', async () => {
  const page = await scene.signIn();
  await page.use('Sign out');
  // The field has the focus.
  await until(() => page.evaluate<boolean>('document.activeElement.name === "api_key"'));
  await page.type(apiKey);
  await page.press('Enter');
  await page.see('Needs attention');
  await page.press('Tab');
  expect(await focused(page)).toBe('Skip to the content');
  await tabTo(page, 'Directories');
  await page.press('Enter');
  await page.see('Initech');
  // After following a link, the keyboard continues in the content.
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await tabTo(page, 'Acme, production');
  await page.press('Enter');
  await page.see('Set-up at the identity provider');
  await tabTo(page, 'Settings');
  await page.press('Enter');
  await page.see('Deactivate or delete');
  await tabTo(page, 'Pause');
  await page.press('Enter');
  await page.see('Pause the delivery?');
  await page.press('Escape');
  await until(async () => !(await page.text()).includes('Pause the delivery?'));
  expect(await focused(page)).toBe('Pause');
  await page.press('Enter');
  await tabTo(page, 'Cancel');
  await page.press('Tab');
  await page.press('Enter');
  await page.see('Paused the delivery.');
});

it('has no key in its address, its storage, its page or where scripts can read it', async () => {
  const page = await scene.signIn();
  await page.visit(`/directories/${scene.healthy.id}`, 'SCIM secret');
  const [stored, html, address, cookie] = await page.evaluate<string[]>(
    '[JSON.stringify([{ ...localStorage }, { ...sessionStorage }]), document.documentElement.outerHTML, location.href, document.cookie]',
  );
  const session = (await page.cookies()).find(({ name }) => name.endsWith('rollcall_session'))!;
  expect([session.httpOnly, session.sameSite]).toEqual([true, 'Strict']);
  for (const text of [stored, html, address, cookie])
    for (const secret of [apiKey, session.value, scene.healthy.secret]) expect(text).not.toContain(secret);
});

it('asks to sign in when the session has ended, and returns to the page', async () => {
  const key = await createKey(scene.service);
  const page = await scene.signIn({ key: key.key });
  await page.visit(`/directories/${scene.waiting.id}?from=link`, 'Initech');
  await scene.service.api('DELETE', `/api/v1/api-keys/${key.id}`);
  await page.evaluate(`location.reload()`);
  await until(async () => (await page.address()) === '/console/sign-in');
  await until(() => page.evaluate<boolean>('Boolean(document.querySelector("input[name=api_key]"))'));
  await page.evaluate(`document.querySelector('input[name=api_key]').value = ${JSON.stringify(apiKey)}`);
  await page.click('form button');
  await page.see('Set-up at the identity provider');
  expect(await page.address()).toBe(`/console/directories/${scene.waiting.id}?from=link`);
});

it('a page of another origin neither reads nor changes anything with the session', async () => {
  const page = await scene.signIn();
  const session = (await page.cookies()).find(({ name }) => name.endsWith('rollcall_session'))!;
  const other = createServer(
    (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Other</title>'),
  );
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const directory = await scene.service.createDirectory({ name: 'Stolen', tenant: 'stolen', webhook_url: scene.receiver.url });
  const path = `${scene.service.baseUrl}/api/v1/directory-sync/${directory.id}`;
  for (const [method, headers] of [
    ['PATCH', { origin, 'sec-fetch-site': 'same-site' }],
    ['DELETE', { origin, 'sec-fetch-site': 'cross-site' }],
    ['PATCH', { origin }],
    ['DELETE', {}],
    ['GET', { 'sec-fetch-site': 'same-site' }],
  ] as const) {
    const response = await fetch(path, {
      method,
      headers: { ...headers, cookie: `${session.name}=${session.value}`, 'content-type': 'application/json' },
      ...(method === 'PATCH' && { body: '{"deactivated":true}' }),
    });
    const { error } = (await response.json()) as { error: { code: string } };
    expect([method, headers, response.status, error.code]).toEqual([method, headers, 403, 'foreign_origin']);
  }
  expect((await scene.service.api('GET', `/api/v1/directory-sync/${directory.id}`)).body.data.deactivated).toBe(false);
  // In the browser itself: the same machine is the same site, so the cookie is sent, and only the check of the origin is left.
  const thief = await scene.openForeign(`${origin}/`);
  const sent = await thief.evaluate<string>(
    `fetch(${JSON.stringify(`${path}/pause`)}, { method: 'POST', mode: 'no-cors', credentials: 'include' }).then(({ type }) => type)`,
  );
  expect(sent).toBe('opaque');
  expect((await scene.service.api('GET', `/api/v1/directory-sync/${directory.id}/delivery`)).body.data.status).toBe('active');
  expect(
    await thief.evaluate<string>(`fetch(${JSON.stringify(path)}, { credentials: 'include' }).then(() => 'read', () => 'hidden')`),
  ).toBe('hidden');
  other.close();
});

it('no page of the console can be framed', async () => {
  const { headers } = await fetch(`${scene.service.baseUrl}/console`);
  expect([headers.get('x-frame-options'), headers.get('content-security-policy')]).toEqual([
    'DENY',
    expect.stringContaining("frame-ancestors 'none'"),
  ]);
});
