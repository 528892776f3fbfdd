import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { languages } from '../../src/http/setup/languages/languages.ts';
import type { ChromiumPage } from '../support/chromium.ts';
import { hostile } from '../support/console.ts';
import { findFlawsInEveryWidth, findMisplacedInEveryLayout } from '../support/find-flaws.ts';
import { rolesPath } from '../support/roles.ts';
import { startSetupScene, type SetupScene } from '../support/setup-scene.ts';
import { createLink } from '../support/setup-links.ts';
import { until } from '../support/until.ts';

let scene: SetupScene;
beforeAll(async () => {
  scene = await startSetupScene(hostile);
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

const listProviders = (page: ChromiumPage) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('.providers button')].map(({ value }) => value)`);

/** A link whose directory has two users and a group. */
async function createConnected(fields: object = {}) {
  const link = await createLink(scene.service, fields);
  const { tenant, product } = link;
  const directory = await scene.service.createDirectory({ tenant, product, type: 'okta-scim-v2', name: 'Acme' });
  for (const name of ['ada', 'ben']) await directory.scim('POST', '/Users', { userName: `${name}@acme.example`, active: true });
  await directory.scim('POST', '/Groups', { displayName: hostile });
  return { link, directory, path: `${link.url}/directory-sync/${directory.id}` };
}

/** Roles of a group, and of one that there is not. */
const giveRoles = (id: string) =>
  scene.service.api('PUT', rolesPath(id), {
    groups: [
      { group_name: hostile, role: 'admin' },
      { group_name: 'x'.repeat(250), role: 'y'.repeat(64) },
    ],
  });

describe.each([
  ['light', false],
  ['dark', true],
] as const)('in %s', (theme, isDark) => {
  const expectNoFlaws = async (page: ChromiumPage, name: string) =>
    expect([name, await findFlawsInEveryWidth(page, `setup-${name}-${theme}`)]).toEqual([name, []]);

  it('the pages of every provider fit from 400 to 3840 pixels, and have no serious finding of axe', async () => {
    const page = await scene.openPage({ isDark });
    const link = await createLink(scene.service, { name: 'Acme' });
    await page.open(link.url);
    await expectNoFlaws(page, 'choose');
    const providers = await listProviders(page);
    expect(providers).toEqual(expect.arrayContaining(['okta-scim-v2', 'azure-scim-v2', 'generic-scim-v2', 'google']));
    for (const type of providers) {
      await page.open(link.url);
      await page.click(`form button[value="${type}"]`);
      await expectNoFlaws(page, `${type}-new`);
      // The page of the consent is the same when it is opened again.
      if (type === 'google') continue;
      await page.click('main section a.button');
      expect(await page.text()).toContain(languages.en.waiting);
      await expectNoFlaws(page, `${type}-waiting`);
    }
    await page.open(link.url);
    await expectNoFlaws(page, 'choose-again');
  });

  it('the pages of a connected directory and of a link that has ended fit, and have no serious finding of axe', async () => {
    const { link, directory, path } = await createConnected({ roles: ['admin', hostile.slice(0, 60)], product: 'hostile' });
    const page = await scene.openPage({ isDark });
    await page.open(path);
    await until(async () => (await page.text()).includes(languages.en.connected));
    await expectNoFlaws(page, 'connected');
    await directory.scim('GET', '/Users', undefined, { authorization: 'Bearer wrong' });
    await until(async () => {
      await page.open(path);
      return (await page.text()).includes(languages.en.error);
    });
    await expectNoFlaws(page, 'rejected');
    await giveRoles(directory.id);
    await page.open(`${path}/roles`);
    expect(await page.text()).toContain(hostile);
    await expectNoFlaws(page, 'roles');
    await page.open(path);
    await page.click('button[value="finish"]');
    expect(await page.text()).toContain(languages.en.doneText);
    await expectNoFlaws(page, 'done');
    await scene.service.api('DELETE', `/api/v1/dsync/setuplinks?id=${link.id}`);
    await page.open(path);
    expect(await page.text()).toContain(languages.en.linkDeadTitle);
    await expectNoFlaws(page, 'ended');
  });
});

it.each(['de', 'fr', 'es', 'ja'])('every page fits into a narrow and a wide window in the language %s', async (lang) => {
  const page = await scene.openPage();
  const { link, directory, path } = await createConnected({ name: 'A'.repeat(200), roles: ['admin', hostile.slice(0, 60)] });
  await page.open(`${link.url}?lang=${lang}`);
  const types = await listProviders(page);
  const look = async (name: string) => expect([name, await findMisplacedInEveryLayout(page)]).toEqual([name, []]);
  await look('choose');
  for (const type of types) {
    await page.open(`${link.url}?lang=${lang}`);
    await page.click(`form button[value="${type}"]`);
    await look(type);
  }
  await page.open(`${path}?lang=${lang}`);
  await look('connected');
  await giveRoles(directory.id);
  await page.open(`${path}/roles?lang=${lang}`);
  await look('roles');
});
