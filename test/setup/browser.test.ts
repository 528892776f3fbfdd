import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { languages } from '../../src/http/setup/languages/languages.ts';
import type { ChromiumPage } from '../support/chromium.ts';
import { hostile } from '../support/console.ts';
import { rolesPath } from '../support/roles.ts';
import type { TestService } from '../support/service.ts';
import { createLink, type TestLink } from '../support/setup-links.ts';
import { startSetupScene, type SetupScene } from '../support/setup-scene.ts';
import { until } from '../support/until.ts';

let scene: SetupScene;
let service: TestService;
beforeAll(async () => {
  scene = await startSetupScene(hostile);
  ({ service } = scene);
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

/** Returns the value that the page shows for a field. */
const valueOf = (page: ChromiumPage, name: string) =>
  page.evaluate<string>(
    `[...document.querySelectorAll('dl > div')].find((row) => row.querySelector('dt').textContent === ${JSON.stringify(name)}).querySelector('code').textContent`,
  );

/** Sends the requests that Okta sends with the two values that an administrator has pasted. */
async function actAsOkta(page: ChromiumPage) {
  const [endpoint, secret] = [await valueOf(page, 'SCIM connector base URL'), await valueOf(page, 'Authorization')];
  const scim = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${endpoint}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as { id: string } };
  };
  return {
    secret,
    test: () => scim('GET', '/Users?startIndex=1&count=1'),
    async assign() {
      const user = await scim('POST', '/Users', { userName: `<b onclick=alert(3)>ada</b>@acme.example`, active: true });
      return scim('POST', '/Groups', { displayName: hostile, members: [{ value: user.body.id }] });
    },
  };
}

it('sets up Okta through the page alone, and the status changes by itself', async () => {
  const link = await createLink(service, { name: hostile, product: 'hostile', return_url: `${service.baseUrl}/docs` });
  const page = await scene.openPage();
  await page.open(link.url);
  expect(await page.text()).toContain(hostile);
  await page.click('button[value="okta-scim-v2"]');
  expect(await page.text()).toMatch(/Copy the secret now[^]*Waiting for the first request/);
  expect(await page.evaluate('[...document.querySelectorAll("[data-copy]")].every((button) => !button.hidden)')).toBe(true);
  const okta = await actAsOkta(page);
  const loads = page.countLoads();
  expect((await okta.test()).status).toBe(200);
  await until(async () => (await page.text()).includes('Users: 0 · Groups: 0'));
  expect((await okta.assign()).status).toBe(201);
  await until(async () => (await page.text()).includes('Users: 1 · Groups: 1'));
  // The secret is still there: the page was not loaded again.
  expect([page.countLoads(), await valueOf(page, 'Authorization')]).toEqual([loads, okta.secret]);
  await page.click('button[value="finish"]');
  expect(await page.text()).toContain(languages.en.doneText);
  await page.open(link.url);
  // The name of the directory, next to the title.
  expect((await page.text()).split(hostile)).toHaveLength(4);
  await page.click('.providers a');
  await page.click('button[value="finish"]');
  await page.click('main a.button');
  expect(await page.evaluate('location.href')).toBe(`${service.baseUrl}/docs`);
  expect(await page.evaluate('document.referrer')).toBe('');
});

it('sets up Okta with the keyboard alone, and copies each value', async () => {
  const page = await scene.openPage();
  await page.open((await createLink(service)).url);
  const tabTo = async (selector: string) => {
    for (let presses = 0; presses < 60; presses += 1) {
      if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
      await page.press('Tab');
    }
    throw new Error(`Tab does not reach ${selector}`);
  };
  await tabTo('button[value="okta-scim-v2"]');
  await page.press('Enter');
  await until(async () => (await page.text()).includes('Copy the secret now'));
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
  const secret = await valueOf(page, 'Authorization');
  await tabTo('[data-copy]');
  await page.press('Enter');
  await until(async () => (await copied()) === (await valueOf(page, 'SCIM connector base URL')));
  // Browsers have no clipboard on pages of plain http, and then copy what is selected.
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("none here"))');
  await page.evaluate(`[...document.querySelectorAll('[data-copy]')].at(-1).focus()`);
  await page.press('Enter');
  await until(async () => (await copied()) === secret);
  const okta = await actAsOkta(page);
  expect((await okta.test()).status).toBe(200);
  await until(async () => (await page.text()).includes('Users: 0 · Groups: 0'));
  await tabTo('button[value="finish"]');
  await page.press('Enter');
  await until(async () => (await page.text()).includes(languages.en.doneText));
});

it('shows that the link has ended, unless a secret would be lost', async () => {
  const revoke = ({ id }: TestLink) => service.api('DELETE', `/api/v1/dsync/setuplinks?id=${id}`);
  const [first, second] = [await createLink(service), await createLink(service)];
  const withSecret = await scene.openPage();
  await withSecret.open(first.url);
  await withSecret.click('button[value="okta-scim-v2"]');
  const loads = withSecret.countLoads();
  // Counts the responses from here on.
  await withSecret.evaluate(
    `window.ended = 0; { const { fetch } = window; window.fetch = async (...args) => { const found = await fetch(...args); if (found.status === 404) ended += 1; return found; }; }`,
  );
  await revoke(first);
  await until(async () => (await withSecret.evaluate<number>('ended')) > 0);
  expect([withSecret.countLoads(), await withSecret.text()]).toEqual([loads, expect.stringContaining(languages.en.secretOnce)]);
  const page = await scene.openPage();
  await page.open(second.url);
  await page.click('button[value="okta-scim-v2"]');
  await page.click('main section a.button');
  const before = page.countLoads();
  await revoke(second);
  await until(() => page.countLoads() > before);
  expect(await page.text()).toContain(languages.en.linkDeadTitle);
});

it('gives a group a role through the page alone', async () => {
  const link = await createLink(service, { roles: ['admin', hostile.slice(0, 60)] });
  const directory = await service.createDirectory({ tenant: link.tenant, product: link.product });
  const page = await scene.openPage();
  await page.open(`${link.url}/directory-sync/${directory.id}`);
  await page.click('a[href$="/roles"]');
  await page.evaluate(`document.querySelector('input[name=group]').value = ${JSON.stringify(hostile)}`);
  await page.evaluate(`document.querySelector('select').selectedIndex = 1`);
  await page.click('button[value="give"]');
  expect(await page.text()).toContain(languages.en.groupMissing);
  const { body } = await service.api('GET', rolesPath(directory.id));
  expect(body.data.groups).toMatchObject([{ group_name: hostile, role: hostile.slice(0, 60) }]);
});

it('sets up Okta without JavaScript', async () => {
  const page = await scene.openPage({ runsScripts: false });
  await page.open((await createLink(service)).url);
  await page.click('button[value="okta-scim-v2"]');
  expect(await page.evaluate('[...document.querySelectorAll("[data-copy]")].every((button) => button.hidden)')).toBe(true);
  const okta = await actAsOkta(page);
  await page.click('main section a.button');
  expect(await page.text()).toContain('Waiting for the first request');
  expect(await page.evaluate<string>('document.body.textContent')).not.toContain(okta.secret);
  expect((await okta.assign()).status).toBe(201);
  await until(async () => (await page.text()).includes('Connected'));
  // The page that loads itself again may still be loading.
  await page.click('button[value="finish"]');
  await until(async () => (await page.text()).includes(languages.en.doneText));
});
