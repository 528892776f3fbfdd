import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { findFlawsInEveryWidth } from '../support/find-flaws.ts';
import { startConsoleScene, type ConsoleScene } from '../support/console.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await startConsoleScene();
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

/** Every page, and what it shows when it has been read. */
const listPages = () => [
  ['overview', '', 'Needs attention'],
  ['directories', '/directories', 'Initech'],
  ['directories-filtered', '/directories?health=failing', 'Failing'],
  ['directories-stale', '/directories?health=stale', 'Umbrella'],
  ['directories-none', '/directories?search=nobody', 'No directory matches'],
  ['new-directory', '/directories/new', 'Tenant'],
  ['directory-healthy', `/directories/${scene.healthy.id}`, 'Set-up at the identity provider'],
  ['directory-failing', `/directories/${scene.failing.id}`, 'Failing since'],
  ['directory-waiting', `/directories/${scene.waiting.id}`, 'Waiting for first push'],
  ['directory-stale', `/directories/${scene.stale.id}`, 'Check at the identity provider that provisioning is on'],
  ['settings', `/directories/${scene.failing.id}/settings`, 'Deactivate or delete'],
  ['unknown-directory', '/directories/0f3c2a9e-6c1b-4c57-9d53-0c8f3a1b2d4e', 'Not found'],
  ['account', '/account', 'Sign out everywhere'],
  ['unknown-page', '/nothing', 'This page does not exist'],
];

describe.each([
  ['light', false],
  ['dark', true],
] as const)('in %s', (theme, isDark) => {
  it('every page fits from 400 to 3840 pixels, has no serious finding of axe, and runs nothing of a hostile name', async () => {
    const page = await scene.signIn({ isDark });
    for (const [name, path, text] of listPages()) {
      await page.visit(path!, text!);
      expect([name, await page.findFlawsInEveryWidth(`${name}-${theme}`)]).toEqual([name, []]);
    }
  });

  it('every page before signing in fits and has no serious finding of axe', async () => {
    const page = await scene.openPage({ isDark });
    for (const [name, path, text] of [
      ['sign-in', '/sign-in', 'Use an API key'],
      ['login', '/login?token=unknown', 'This link signs in once.'],
    ] as const) {
      await page.open(`${scene.service.baseUrl}/console${path}`);
      expect(await page.text()).toContain(text);
      expect([name, await findFlawsInEveryWidth(page, `${name}-${theme}`)]).toEqual([name, []]);
    }
    // The page of an error.
    await page.click('form button');
    expect(await page.text()).toContain('The request failed');
    expect(await findFlawsInEveryWidth(page, `sign-in-failed-${theme}`)).toEqual([]);
  });
});

it.each(['', '/directories', '/directories?health=unhealthy', '/directories?health=stale'])(
  'says in words at %s that a directory is stale',
  async (path) => {
    const page = await scene.signIn();
    await page.visit(path, 'Umbrella');
    const row = await page.evaluate<string>(
      `[...document.querySelectorAll('tr')].find((one) => one.innerText.includes('Umbrella')).innerText`,
    );
    expect(row).toContain('Stale');
  },
);
