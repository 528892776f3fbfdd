import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { readAuditLog } from '../support/audit.ts';
import { hostile, startConsoleScene, untilHealth, type ConsolePage, type ConsoleScene } from '../support/console.ts';
import { choose } from '../support/console-dialog.ts';
import { sequencesOf, startReceiver } from '../support/receiver.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await startConsoleScene();
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

const read = async ({ id }: Pick<TestDirectory, 'id'>) => (await scene.service.api('GET', `/api/v1/directory-sync/${id}`)).body.data;
const settingsOf = ({ id }: TestDirectory) => `/directories/${id}/settings`;
const create = (name: string, fields = {}) =>
  scene.service.createDirectory({ name, tenant: name, webhook_url: scene.receiver.url, ...fields });

it('signs in, shows what fails first, finds a directory by a part of its name, and keeps filters in the address', async () => {
  const page = await scene.signIn();
  await page.see('Needs attention');
  expect(await page.text()).toContain('responded with 503');
  await page.use('Directories');
  await page.see('Initech');
  expect(await page.evaluate('document.querySelector("h1").textContent')).toBe('Directories');
  await page.fill('Search', 'INIT');
  await until(async () => (await page.address()).includes('search=INIT'));
  await until(async () => !(await page.text()).includes('Acme, production'));
  await page.fill('Health', 'healthy');
  await page.see('No directory matches');
  await page.visit('/directories?health=failing', hostile);
  expect(await page.text()).not.toContain('Initech');
  await page.visit('/directories?provider=okta-scim-v2&product=app', 'Initech');
  expect(await page.text()).not.toContain('Acme, production');
  await page.use('Initech');
  await page.see('Set-up at the identity provider');
  expect(await page.address()).toBe(`/console/directories/${scene.waiting.id}`);
});

it('turns the pages of a list with the cursor in the address, and goes back', async () => {
  for (let one = 0; one < 51; one += 1) await create(`page-${one}`, { product: 'pages' });
  const page = await scene.signIn();
  await page.visit('/directories?product=pages', 'page-50');
  await page.use('Next page');
  await page.see('page-0');
  expect(await page.address()).toMatch(/^\/console\/directories\?product=pages&cursor=/);
  await page.evaluate('history.back()');
  await page.see('page-50');
  await page.use('Next page');
  await page.use('First page');
  await page.see('page-50');
});

it('creates a directory', async () => {
  const page = await scene.signIn();
  await page.visit('/directories/new', 'New directory');
  await page.fill('Tenant', 'umbrella');
  await page.fill('Product', 'crm');
  await page.fill('Provider', 'jumpcloud-scim-v2');
  await page.fill('Webhook URL', 'ftp://nowhere');
  await page.use('Create');
  await page.see('must be an http or https address');
  await page.fill('Webhook URL', scene.receiver.url);
  await page.use('Create');
  await page.see('Copy its secrets now');
  const shown = await page.text();
  await page.use('Open the directory');
  await page.see('Waiting for first push');
  const [, id] = /directories\/([\w-]{36})$/.exec(await page.address())!;
  const created = await read({ id: id! });
  expect(created).toMatchObject({ tenant: 'umbrella', product: 'crm', type: 'jumpcloud-scim-v2' });
  for (const { secret } of [created.scim, created.webhook]) expect(shown).toContain(secret);
});

it('reveals a secret only when somebody asks for it, which the audit log notes', async () => {
  const directory = await create('secrets');
  const page = await scene.signIn();
  const reads = async () => (await readAuditLog(scene.service, { action: 'directory.secrets_read', directory_id: directory.id })).length;
  const before = await reads();
  await page.visit('/directories', 'secrets');
  await page.visit(`/directories/${directory.id}`, 'SCIM secret');
  expect([await page.evaluate<string>('document.documentElement.outerHTML'), await reads()]).toEqual([
    expect.not.stringContaining(directory.secret),
    before,
  ]);
  await page.use('Reveal: SCIM secret');
  await page.see(directory.secret);
  expect(await reads()).toBe(before + 1);
  await page.use('Copy: SCIM secret');
  await page.see('SCIM secret: copied.');
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(directory.secret);
  await page.use('Hide: SCIM secret');
  await until(async () => !(await page.text()).includes(directory.secret));
  // Each time, although the application reads with the same key.
  await read(directory);
  const later = await reads();
  await page.use('Reveal: SCIM secret');
  await page.see(directory.secret);
  expect(await reads()).toBe(later + 1);
});

it('pauses and resumes the delivery, from the backlog or from now', async () => {
  const directory = await create('pausing');
  const page = await scene.signIn();
  await page.visit(settingsOf(directory), 'Pause');
  await page.use('Pause');
  await page.see('Pause the delivery?');
  expect(await page.findFlaws()).toEqual([]);
  await confirm(page);
  await page.see('Paused the delivery.');
  expect((await read(directory)).health.delivery.status).toBe('paused');
  await directory.scim('POST', '/Users', { userName: 'ada@acme.example' });
  await page.use('Resume');
  await page.see('Resume the delivery?');
  await confirm(page);
  await page.see('Resumed the delivery.');
  await untilHealth(scene.service, directory, 'healthy');
  await page.use('Send a test');
  await page.see('The receiver acknowledged the test with 200.');
});

it('resumes the delivery from now: what waited is never sent', async () => {
  const receiver = await startReceiver();
  try {
    const directory = await create('skipping', { webhook_url: receiver.url });
    await scene.service.api('POST', `/api/v1/directory-sync/${directory.id}/pause`);
    await directory.scim('POST', '/Users', { userName: 'skipped@acme.example' });
    const page = await scene.signIn();
    await page.visit(settingsOf(directory), 'Resume');
    await page.use('Resume');
    await page.see('With what waits: 1 event');
    await choose(page, 'From now');
    await confirm(page);
    await page.see('Resumed the delivery.');
    await directory.scim('POST', '/Users', { userName: 'sent@acme.example' });
    await until(() => receiver.received.length > 0);
    await untilHealth(scene.service, directory, 'healthy');
    expect(sequencesOf(receiver.received)).toEqual([2]);
    expect((await read(directory)).health.delivery.backlog).toBe(0);
  } finally {
    await receiver.close();
  }
});

it('saves the settings, rotates secrets, deactivates, and deletes only when the name is typed', async () => {
  const name = `${hostile} 2`;
  const directory = await create('settings', { name });
  const page = await scene.signIn();
  await page.visit(settingsOf(directory), 'Deactivate or delete');
  await page.fill('Webhook URL', `${scene.receiver.url}/v2`);
  await page.use('Save');
  await page.see('Saved the settings.');
  expect((await read(directory)).webhook.endpoint).toBe(`${scene.receiver.url}/v2`);
  for (const what of ['SCIM secret', 'webhook secret']) {
    await page.use(`Rotate ${what}`);
    await confirm(page);
    await page.see(`The new ${what}.`);
  }
  const { scim, webhook } = await read(directory);
  expect([scim.secret === directory.secret, webhook.secret === directory.webhookSecret]).toEqual([false, false]);
  for (const secret of [scim.secret, webhook.secret]) expect(await page.text()).toContain(secret);
  await page.use('Deactivate');
  await confirm(page);
  await page.see('Deactivated the directory.');
  expect((await read(directory)).deactivated).toBe(true);
  await page.use('Activate');
  await confirm(page);
  await page.see('Activated the directory.');
  await page.use('Delete');
  await page.see('Delete the directory?');
  expect(await page.findFlaws()).toEqual([]);
  await page.fill('Type', 'another name');
  expect(await page.evaluate('document.querySelector("dialog .main").disabled')).toBe(true);
  await page.fill('Type', name);
  await confirm(page);
  await until(async () => (await page.address()) === '/console/directories');
  expect((await scene.service.api('GET', `/api/v1/directory-sync/${directory.id}`)).status).toBe(404);
});

it('shows nothing of what a session may not do', async () => {
  const key = await createKey(scene.service, { scopes: ['directories:read'] });
  const page = await scene.signIn({ key: key.key });
  await page.see('Needs attention');
  await page.visit('/directories?search=initech', 'Initech');
  expect(await page.has('New directory')).toBe(false);
  await page.visit('/directories/new', 'Not found');
  await page.visit(`/directories/${scene.healthy.id}`, 'SCIM endpoint');
  expect(await page.has('Reveal: SCIM secret')).toBe(false);
  await page.visit(settingsOf(scene.healthy), 'Directory ID');
  for (const name of ['Save', 'Pause', 'Rotate SCIM secret', 'Rotate webhook secret', 'Deactivate', 'Delete'])
    expect([name, await page.has(name)]).toEqual([name, false]);
  const narrowed = await createKey(scene.service, { tenant: 'initech', scopes: ['directories:read'] });
  const other = await scene.signIn({ key: narrowed.key });
  await other.visit('/directories', 'Initech');
  expect(await other.text()).not.toContain('Acme, production');
  await other.visit(`/directories/${scene.healthy.id}`, 'Not found');
  const withoutAny = await scene.signIn({ key: (await createKey(scene.service, { scopes: ['limits:read'] })).key });
  await withoutAny.see('limits:read');
  expect(await withoutAny.has('Directories')).toBe(false);
});

/** Presses the main button of the dialog. */
async function confirm(page: ConsolePage) {
  await until(() => page.evaluate<boolean>('Boolean(document.querySelector("dialog[open] .main:not([disabled])"))'));
  await page.evaluate('document.querySelector("dialog[open] .main").click()');
  await until(() => page.evaluate<boolean>('!document.querySelector("dialog[open]")'));
}
