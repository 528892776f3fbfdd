import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { openConsole, type ConsoleBrowser } from '../support/console.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** What somebody sees who has just started Rollcall. */

let service: TestService;
let browser: ConsoleBrowser;
beforeAll(async () => {
  service = await startTestService();
  browser = await openConsole(service);
}, 120_000);
afterAll(async () => {
  await browser?.stop();
  await service?.stop();
});
afterEach(() => browser.checkPages());

it.each([
  ['/', 'There is no directory yet'],
  ['/directories', 'There is no directory yet'],
  ['/deliveries', 'There is no delivery yet'],
  ['/setup-links', 'There is no setup link yet'],
  ['/api-keys', 'There is no API key yet'],
  ['/audit-log?action=directory.created', 'No entry matches'],
])('%s of an empty deployment says: %s', async (path, text) => {
  for (const isDark of [false, true]) {
    const page = await browser.signIn({ isDark });
    await page.visit(path, text);
    const name = `empty${path.replaceAll(/[^a-z]+/g, '-')}-${isDark ? 'dark' : 'light'}`;
    expect([path, await page.findFlawsInEveryWidth(name)]).toEqual([path, []]);
  }
});

it('the first directory is created from the empty overview', async () => {
  const page = await browser.signIn();
  await page.visit('/', 'There is no directory yet');
  await page.use('New directory');
  await page.see('The webhook address. If empty, your application fetches the events.');
  await page.fill('Name', 'Acme');
  await page.fill('Tenant', 'acme');
  await page.fill('Product', 'app');
  await page.use('Create');
  await page.see('The directory is created.');
  await page.use('Open the directory');
  await page.see('Waiting for first push');
  await page.visit('/', 'Waiting for first push');
  expect(await page.text()).not.toContain('There is no directory yet');
});
