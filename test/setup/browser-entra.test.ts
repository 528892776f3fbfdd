import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { languages } from '../../src/http/setup/languages/languages.ts';
import { startFakeEntra, type FakeEntra } from '../support/entra/fake-entra.ts';
import { findFlaws } from '../support/find-flaws.ts';
import { createLink } from '../support/setup-links.ts';
import { startSetupScene, type SetupScene } from '../support/setup-scene.ts';
import { until } from '../support/until.ts';

let entra: FakeEntra;
let scene: SetupScene;
beforeAll(async () => {
  entra = await startFakeEntra();
  for (const name of ['ada', 'ben']) entra.addUser({ userPrincipalName: `${name}@acme.example` });
  scene = await startSetupScene('Example', entra.env());
});
afterAll(async () => {
  await scene?.stop();
  await entra?.stop();
});
afterEach(() => scene.checkPages());

it('connects Entra ID by consent: the status changes by itself to connected, with counts', async () => {
  const link = await createLink(scene.service, { name: 'Acme' });
  const page = await scene.openPage();
  await page.open(link.url);
  await page.click('button[value="entra"]');
  expect(await page.text()).toContain(languages.en.needsConsent);
  expect(await findFlaws(page)).toEqual([]);
  const button = `[...document.querySelectorAll('a.button')].find(({ target }) => target === '_blank')`;
  expect(await page.evaluate(`${button}.textContent`)).toContain('Microsoft');

  // The button opens another window.
  const consent = await scene.openPage();
  await consent.open(await page.evaluate<string>(`${button}.href`));
  expect(await consent.text()).toContain('Connect Microsoft Entra ID');
  expect(await findFlaws(consent)).toEqual([]);
  // The browser may load nothing from elsewhere, so this follows the link that leads to Microsoft.
  const cookie = (await consent.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const { headers } = await fetch(await consent.evaluate<string>('document.querySelector("main a").href'), {
    headers: { cookie, accept: 'text/html' },
    redirect: 'manual',
  });
  await consent.open(entra.consent(headers.get('location')!));
  expect(await consent.text()).toContain('The directory is authorized');
  expect(await findFlaws(consent)).toEqual([]);

  await until(async () => (await page.text()).includes(languages.en.connected), { timeoutMs: 60_000 });
  expect(await page.text()).toContain('Users: 2 · Groups: 0');
  expect(await findFlaws(page)).toEqual([]);
  await page.click('button[value="finish"]');
  expect(await page.text()).toContain(languages.en.doneText);
});
