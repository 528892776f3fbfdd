import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { startConsoleScene, type ConsolePage, type ConsoleScene } from '../support/console.ts';
import { pushInactive } from '../support/inactive-users.ts';
import { until } from '../support/until.ts';

/** What a directory does with inactive users, and when it is deleted. */

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await startConsoleScene();
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

const confirm = (page: ConsolePage) => page.evaluate('document.querySelector("dialog .main").click()');

it('shows what a change of the policies sends, and sends it when that is confirmed', async () => {
  const directory = await scene.service.createDirectory({ name: 'Policies', tenant: 'policies' });
  await pushInactive(directory);
  const path = `/api/v1/directory-sync/${directory.id}`;
  const read = async () => (await scene.service.api('GET', path)).body;
  const page = await scene.signIn();
  await page.visit(`/directories/${directory.id}/settings`, 'When the directory is deleted');
  await page.fill('Inactive users', 'delete');
  await page.fill('When the directory is deleted', 'events');
  await page.use('Save');
  await page.see('Send these events?');
  expect(await page.text()).toContain('2 user.deleted');
  expect(await page.findFlaws()).toEqual([]);
  await page.use('Cancel');
  expect((await read()).data).toMatchObject({ inactive_users: 'keep', on_directory_delete: 'silent' });
  await page.use('Save');
  await page.see('Send these events?');
  await confirm(page);
  await page.see('Saved the settings.');
  expect((await read()).data).toMatchObject({ inactive_users: 'delete', on_directory_delete: 'events' });

  await page.use('Delete');
  await page.see('once your application has received their removal');
  await page.fill('Type', 'Policies');
  await confirm(page);
  await page.see('Send these events, and delete the directory?');
  expect(await page.text()).toContain('1 group.deleted');
  expect(await page.findFlaws()).toEqual([]);
  await page.use('Cancel');
  await page.use('Delete');
  await page.see('Delete the directory?');
  await page.fill('Type', 'Policies');
  await confirm(page);
  await page.see('Send these events, and delete the directory?');
  await confirm(page);
  await page.see('The directory is being deleted');
  expect((await read()).data.state).toBe('deleting');
  await page.use('Delete now');
  await page.see('Delete the directory?');
  await page.fill('Type', 'Policies');
  await confirm(page);
  await until(async () => (await page.address()) === '/console/directories');
  expect((await scene.service.api('GET', path)).status).toBe(404);
});
