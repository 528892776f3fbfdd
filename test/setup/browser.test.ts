import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { languages } from '../../src/http/setup/languages/languages.ts';
import { startChromium, type ChromiumPage } from '../support/chromium.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createLink, type TestLink } from '../support/setup-links.ts';
import { until } from '../support/until.ts';

const hostile = `<img src=x onerror="alert(1)"><script>alert(2)</script>'"&`;
let service: TestService;
let chromium: Awaited<ReturnType<typeof startChromium>>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-branding-'));
  await writeFile(
    join(folder, 'logo.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><rect width="32" height="32" rx="8" fill="#0b7a5b"/></svg>',
  );
  await writeFile(
    join(folder, 'branding.json'),
    JSON.stringify({ name: 'Example', color: '#0b7a5b', products: { hostile: { name: hostile, logo: 'logo.svg' } } }),
  );
  const google = { DSYNC_GOOGLE_CLIENT_ID: 'client', DSYNC_GOOGLE_CLIENT_SECRET: 'secret' };
  service = await startTestService({ BRANDING_FILE: join(folder, 'branding.json'), ...google }, { recordEveryMs: 20 });
  chromium = await startChromium(() => new URL(service.baseUrl).origin);
});
afterAll(async () => {
  await chromium?.stop();
  await service.stop();
  await rm(folder, { recursive: true });
});

/** A page that breaks its policy, loads from elsewhere, throws or opens a dialog fails the test. */
const pages: ChromiumPage[] = [];
async function openPage(options?: Parameters<typeof chromium.openPage>[0]) {
  const page = await chromium.openPage(options);
  pages.push(page);
  return page;
}
afterEach(() => {
  const problems = pages.splice(0).flatMap((page) => page.problems);
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

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
  const page = await openPage();
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

it('shows that the link has ended, unless a secret would be lost', async () => {
  const revoke = ({ id }: TestLink) => service.api('DELETE', `/api/v1/dsync/setuplinks?id=${id}`);
  const [first, second] = [await createLink(service), await createLink(service)];
  const withSecret = await openPage();
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
  const page = await openPage();
  await page.open(second.url);
  await page.click('button[value="okta-scim-v2"]');
  await page.click('main section a.button');
  const before = page.countLoads();
  await revoke(second);
  await until(() => page.countLoads() > before);
  expect(await page.text()).toContain(languages.en.linkDeadTitle);
});

it('sets up Okta without JavaScript', async () => {
  const page = await openPage({ runsScripts: false });
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

describe.each([
  ['light', false],
  ['dark', true],
] as const)('in %s', (_theme, isDark) => {
  it.each([400, 1280])('fits into %d pixels, and every text can be read', async (width) => {
    const page = await openPage({ width, isDark });
    const link = await createLink(service, { name: 'A'.repeat(200) });
    for (const lang of ['en', 'de', 'ja'])
      for (const type of ['', 'onelogin-scim-v2', 'azure-scim-v2', 'google']) {
        await page.open(`${link.url}?lang=${lang}`);
        if (type !== '') await page.click(`button[value="${type}"]`);
        expect([lang, type, await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')]).toEqual([
          lang,
          type,
          0,
        ]);
        expect([lang, type, await page.evaluate(unreadable)]).toEqual([lang, type, []]);
      }
  });
});

/** Texts with less contrast than WCAG AA asks for, and fields and buttons without a name. */
const unreadable = `(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const part = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) => 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
  const backgroundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.body.querySelectorAll('*')) {
    const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!isText || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(element.tagName) || element.offsetParent === null) continue;
    const [text, behind] = [luminance(parse(getComputedStyle(element).color)), luminance(backgroundOf(element))];
    const contrast = (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05);
    if (contrast < 4.5) found.push(element.textContent.trim().slice(0, 40) + ' ' + contrast.toFixed(2));
  }
  for (const button of document.querySelectorAll('button, a')) if (!button.hidden && button.textContent.trim() === '') found.push(button.outerHTML);
  return found;
})()`;
