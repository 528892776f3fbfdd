import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { readAuditLog } from '../support/audit.ts';
import { startConsoleScene, type ConsolePage, type ConsoleScene } from '../support/console.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await startConsoleScene();
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

const settingsOf = ({ id }: Pick<TestDirectory, 'id'>) => `/directories/${id}/settings`;
const pathOf = ({ id }: Pick<TestDirectory, 'id'>) => `/api/v1/directory-sync/${id}`;
const tick = (page: ConsolePage, label: string) =>
  page.evaluate(`[...document.querySelectorAll('label')].find((one) => one.textContent.includes(${JSON.stringify(label)})).click()`);

it('shows the secret of a new webhook once, and reads no other secret for it', async () => {
  const directory = await scene.service.createDirectory({ name: 'new-webhook', tenant: 'new-webhook' });
  const page = await scene.signIn();
  await page.visit(settingsOf(directory), 'Deactivate or delete');
  await page.fill('Webhook URL', scene.receiver.url);
  await page.use('Save');
  await page.see('The secret of the new webhook.');
  const shown = await page.text();
  expect(await readAuditLog(scene.service, { action: 'directory.secrets_read', directory_id: directory.id })).toEqual([]);
  const { data } = (await scene.service.api('GET', pathOf(directory))).body;
  expect([shown.includes(data.webhook.secret), shown.includes(directory.secret)]).toEqual([true, false]);
});

it('saves only what was changed here, and gets no secret back', async () => {
  const directory = await scene.service.createDirectory({ name: 'ours', tenant: 'ours', webhook_url: scene.receiver.url });
  const page = await scene.signIn();
  await page.visit(settingsOf(directory), 'Deactivate or delete');
  await page.evaluate(`(() => {
    window.bodies = [];
    const read = Response.prototype.text;
    Response.prototype.text = async function () {
      const text = await read.call(this);
      window.bodies.push(text);
      return text;
    };
  })()`);
  await scene.service.api('PATCH', pathOf(directory), { name: 'theirs' });
  await tick(page, 'Send user.deactivated');
  await page.use('Save');
  await page.see('Saved the settings.');
  const { data } = (await scene.service.api('GET', pathOf(directory))).body;
  expect([data.name, data.user_state_events]).toEqual(['theirs', true]);
  const bodies = await page.evaluate<string>('window.bodies.join()');
  expect(bodies).toContain('theirs');
  for (const secret of [directory.secret, directory.webhookSecret]) expect(bodies).not.toContain(secret);
});

it('hides a revealed secret when it is rotated', async () => {
  const directory = await scene.service.createDirectory({ name: 'rotated', tenant: 'rotated' });
  const page = await scene.signIn();
  await page.visit(settingsOf(directory), 'Deactivate or delete');
  await page.use('Reveal: SCIM secret');
  await page.see(directory.secret);
  await page.use('Rotate SCIM secret');
  await until(() => page.evaluate<boolean>('Boolean(document.querySelector("dialog[open] .main:not([disabled])"))'));
  await page.evaluate('document.querySelector("dialog[open] .main").click()');
  await page.see('The new SCIM secret.');
  await until(async () => !(await page.text()).includes(directory.secret));
});
