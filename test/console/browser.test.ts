import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
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
  ['directories-none', '/directories?search=nobody', 'No directory matches'],
  ['new-directory', '/directories/new', 'Tenant'],
  ['directory-healthy', `/directories/${scene.healthy.id}`, 'Set-up at the identity provider'],
  ['directory-failing', `/directories/${scene.failing.id}`, 'Failing since'],
  ['directory-waiting', `/directories/${scene.waiting.id}`, 'Waiting for first push'],
  ['settings', `/directories/${scene.failing.id}/settings`, 'Deactivate or delete'],
  ['unknown-directory', '/directories/0f3c2a9e-6c1b-4c57-9d53-0c8f3a1b2d4e', 'Not found'],
  ['unknown-page', '/nothing', 'This page does not exist'],
];

describe.each([
  ['light', false],
  ['dark', true],
] as const)('in %s', (theme, isDark) => {
  it.each([400, 1280, 2560])(
    '%d pixels: every page fits, has no serious finding of axe, and runs nothing of a hostile name',
    async (width) => {
      const page = await scene.signIn({ width, isDark, height: width === 400 ? 800 : 900 });
      for (const [name, path, text] of listPages()) {
        await page.visit(path!, text!);
        await page.keepScreenshot(`${name}-${width}-${theme}`);
        expect([name, await page.findFlaws()]).toEqual([name, []]);
      }
    },
  );
});
