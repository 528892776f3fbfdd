import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { defaultSourcesOf } from '../../src/directory/attributes/default-sources.ts';
import { createKey } from '../support/api-keys.ts';
import { createMapped, mappingPath, schemasPath } from '../support/attributes.ts';
import { startConsoleScene, type ConsolePage, type ConsoleScene } from '../support/console.ts';
import { choose, confirm } from '../support/console-dialog.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await startConsoleScene();
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

const tab = ({ id }: TestDirectory) => `/directories/${id}/attributes`;
const readSchema = async (product: string) =>
  (await scene.service.api('GET', `${schemasPath}?product=${encodeURIComponent(product)}`)).body.data.attributes;

it('adds, changes and removes attributes of a product, and says before what changes', async () => {
  const { product, ...directory } = await createMapped(scene.service, [{ name: 'job_title' }, { name: 'level', type: 'number' }]);
  const page = await scene.signIn();
  await page.visit(tab(directory), 'job_title');
  await page.use('Edit attributes');
  await page.see('Attributes of the product');
  await choose(page, 'Required 1');
  await page.use('Remove attribute 2');
  await page.use('Add an attribute');
  await page.fill('Name 2', 'badges');
  await page.fill('Type 2', 'string');
  await choose(page, 'List 2');
  expect(await page.findFlawsInEveryWidth('attribute-schema')).toEqual([]);
  await confirm(page);
  await page.see('Save the attributes?');
  for (const text of ['Changes job_title: string to string, required', 'Adds badges: list of string', 'Removes level', 'user.updated'])
    await page.see(text);
  expect(await page.findFlaws()).toEqual([]);
  expect(await readSchema(product)).toHaveLength(2);
  await confirm(page);
  await page.see('Saved the attributes.');
  await page.see('list of string');
  expect(await readSchema(product)).toMatchObject([
    { name: 'job_title', type: 'string', required: true },
    { name: 'badges', type: 'string', multi_valued: true, required: false },
  ]);
});

it('shows why a schema is rejected, and does not overwrite what somebody else has saved', async () => {
  const { product, ...directory } = await createMapped(scene.service, [{ name: 'job_title' }]);
  const page = await scene.signIn();
  await page.visit(tab(directory), 'job_title');
  await page.use('Edit attributes');
  await page.see('Attributes of the product');
  await page.use('Add an attribute');
  await page.fill('Name 2', 'shoe_size');
  await confirm(page);
  await page.see('Adds shoe_size');
  await confirm(page);
  await page.see('not a predefined attribute');
  await page.use('Cancel');
  await page.fill('Type 2', 'number');
  await scene.service.api('PUT', schemasPath, { product, attributes: [{ name: 'username' }] });
  await confirm(page);
  await page.see('Adds shoe_size: number');
  await confirm(page);
  await page.see('Somebody else has changed the attributes');
  expect((await readSchema(product)).map(({ name }: { name: string }) => name)).toEqual(['username']);
  await page.use('Cancel');
  await until(() => page.evaluate<boolean>('document.querySelector("dialog") === null'));
  await page.use('Edit attributes');
  await page.see('Attributes of the product');
  await page.use('Add an attribute');
  await page.fill('Name 2', 'shoe_size');
  await page.fill('Type 2', 'number');
  await confirm(page);
  await page.see('Adds shoe_size: number');
  await confirm(page);
  await page.see('Saved the attributes.');
  expect((await readSchema(product)).map(({ name }: { name: string }) => name)).toEqual(['username', 'shoe_size']);
});

const focusedName = (page: ConsolePage) =>
  page.evaluate<string>(
    `(document.activeElement.labels?.[0]?.textContent || document.activeElement.ariaLabel || document.activeElement.textContent).trim()`,
  );

it('saves nothing unread when "Review" is pressed twice', async () => {
  const { product, ...directory } = await createMapped(scene.service, [{ name: 'job_title' }]);
  const page = await scene.signIn();
  await page.visit(tab(directory), 'job_title');
  await page.use('Edit attributes');
  await page.see('Attributes of the product');
  await choose(page, 'Required 1');
  await page.evaluate('document.querySelector("dialog .main").focus()');
  await page.press('Enter');
  await page.see('Save the attributes?');
  expect(await focusedName(page)).toBe('Cancel');
  const isDone = await page.evaluate<boolean>(
    'document.querySelector("dialog .main").dispatchEvent(new MouseEvent("click", { detail: 2, bubbles: true, cancelable: true }))',
  );
  expect(isDone).toBe(false);
  await page.press('Enter');
  await page.see('Attributes of the product');
  expect(await readSchema(product)).toMatchObject([{ required: false }]);
});

it('keeps the focus in the form when an attribute is added or removed', async () => {
  const directory = await createMapped(scene.service, [{ name: 'job_title' }, { name: 'username' }]);
  const page = await scene.signIn();
  await page.visit(tab(directory), 'job_title');
  await page.use('Edit attributes');
  await page.see('Attributes of the product');
  await page.evaluate(`document.querySelector('[aria-label="Remove attribute 1"]').focus()`);
  const names = [];
  for (let press = 0; press < 3; press += 1) {
    await page.press('Enter');
    await until(() => page.evaluate<boolean>(`document.querySelectorAll('dialog [role=group]').length === ${press === 2 ? 1 : 1 - press}`));
    names.push(await focusedName(page));
  }
  expect(names).toEqual(['Remove attribute 1', 'Add an attribute', 'Name 1']);
});

it('shows what "Predefined" changes: nothing if the attribute is predefined, else its type', async () => {
  const names = Object.keys(defaultSourcesOf('okta-scim-v2'));
  const directory = await createMapped(scene.service, [...names.map((name) => ({ name })), { name: 'level', type: 'number' }]);
  const page = await scene.signIn();
  await page.visit(tab(directory), 'job_title');
  await page.use('Edit attributes');
  await page.see('Attributes of the product');
  for (const [index] of names.entries()) await page.fill(`Type ${index + 1}`, '');
  await confirm(page);
  await page.see('Nothing has changed.');
  await page.use('Cancel');
  await page.fill(`Type ${names.length + 1}`, '');
  await choose(page, 'Required 1');
  await confirm(page);
  await page.see('Changes level: number to predefined');
  expect(await page.text()).toContain(`Changes ${names[0]}: string to string, required`);
});

it('begins in a product without attributes, and is absent for whoever may not change all tenants', async () => {
  const page = await scene.signIn();
  await page.visit(tab(scene.waiting), 'The product has no attributes');
  expect(await page.has('Add attributes')).toBe(true);
  const { key } = await createKey(scene.service, { tenant: 'initech', scopes: ['directories:read', 'directories:write'] });
  const narrow = await scene.signIn({ key });
  await narrow.visit(tab(scene.waiting), 'The product has no attributes');
  expect(await narrow.has('Add attributes')).toBe(false);
  expect((await scene.service.api('GET', mappingPath(scene.waiting.id))).body.data.effective).toEqual([]);
});
