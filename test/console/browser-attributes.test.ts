import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { createMapped, mappingPath, setMapping } from '../support/attributes.ts';
import { hostile, startConsoleScene, type ConsoleScene } from '../support/console.ts';
import { choose, confirm } from '../support/console-dialog.ts';
import { itFitsEveryWindow, save } from '../support/console-tabs.ts';
import { push } from '../support/inactive-users.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The tab "Attributes" of a directory. */

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await startConsoleScene();
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

const schema = [{ name: 'job_title', required: true }, { name: 'level', type: 'number' }, { name: 'username' }];
const tab = ({ id }: TestDirectory) => `/directories/${id}/attributes`;
const readMapping = async ({ id }: TestDirectory) => (await scene.service.api('GET', mappingPath(id))).body.data;

/** One user has a title, which is hostile, and one has none. */
async function createPeople(): Promise<TestDirectory> {
  const directory = await createMapped(scene.service, schema);
  await push(directory, '/Users', { userName: 'ada@acme.example', title: hostile, name: { givenName: 'Ada', familyName: hostile } });
  await push(directory, '/Users', { userName: 'bob@acme.example', nickName: 'Bobby' });
  return directory;
}

it('tries another source on real users, and saves it when that is confirmed', async () => {
  const directory = await createPeople();
  const page = await scene.signIn();
  await page.visit(tab(directory), '1 user lacks a required attribute');
  await page.use('Edit: job_title');
  await page.see('Source of job_title');
  await choose(page, 'Paths and constants');
  await page.fill('Value 1', 'nickName');
  await page.use('Add a source');
  await page.fill('Kind 2', 'constant');
  await page.fill('Value 2', hostile);
  await page.fill('Letters', 'upper');
  expect(await page.findFlaws()).toEqual([]);
  await confirm(page);
  await page.see('Not saved');
  await page.use('Preview');
  await page.see('2 users of 2 would change');
  await page.see('Ada <img');
  expect(await page.text()).toContain('BOBBY');
  expect(await page.text()).toContain(hostile.toUpperCase());
  expect(await page.text()).toContain('2 users without a value');
  expect(await page.findFlaws()).toEqual([]);

  await page.use('Save');
  await page.see('Save the mapping?');
  await page.use('Cancel');
  expect((await readMapping(directory)).attributes).toEqual({});
  await save(page, 'the mapping');
  const { attributes } = await readMapping(directory);
  expect(attributes).toEqual({ job_title: { first_of: [{ path: 'nickName' }, { constant: hostile }], case: 'upper' } });
  await page.see('The last recomputation of users ended');
  expect(await page.has('Save')).toBe(false);
});

it('keeps what others save meanwhile, and sends a number as a number', async () => {
  const directory = await createPeople();
  const page = await scene.signIn();
  await page.visit(tab(directory), 'job_title');
  await page.use('Edit: level');
  await page.see('Source of level');
  await choose(page, 'Paths and constants');
  await page.fill('Kind 1', 'constant');
  await page.fill('Value 1', '7');
  await confirm(page);
  await page.see('Not saved');
  await setMapping(scene.service, directory.id, { job_title: { path: 'nickName' } });
  await page.see('nickName');
  await page.use('Save');
  await page.see('Save the mapping?');
  // The number in the question is not true any more.
  await setMapping(scene.service, directory.id, { job_title: { path: 'displayName' } });
  await page.see('has changed since the preview');
  await confirm(page);
  await page.use('Cancel');
  expect((await readMapping(directory)).attributes).toEqual({ job_title: { path: 'displayName' } });
  await save(page, 'the mapping');
  expect((await readMapping(directory)).attributes).toEqual({ job_title: { path: 'displayName' }, level: { constant: 7 } });
});

it('names the field of a path that cannot be parsed, and asks nothing', async () => {
  const directory = await createPeople();
  const page = await scene.signIn();
  await page.visit(tab(directory), 'job_title');
  await page.use('Edit: job_title');
  await page.see('Source of job_title');
  await choose(page, 'Paths and constants');
  await page.fill('Value 1', 'title[');
  await confirm(page);
  await page.see('title[');
  await page.use('Save');
  await page.see('attributes.job_title');
  expect(await page.evaluate(`document.querySelector('dialog')`)).toBeNull();
  await page.use('Discard');
  await until(async () => !(await page.text()).includes('title['));
  expect(await page.text()).not.toContain('attributes.job_title');
  // The button that had the focus is gone.
  expect(await page.evaluate(`document.activeElement.textContent`)).toBe('Preview');
  expect((await readMapping(directory)).attributes).toEqual({});
});

it('shows only what the scopes allow', async () => {
  const directory = await createPeople();
  const [reader, viewer, writer] = await Promise.all(
    [['directories:read'], ['directories:read', 'people:read'], ['directories:read', 'directories:write']].map((scopes) =>
      createKey(scene.service, { name: scopes.join(' '), scopes }),
    ),
  );
  const shown = async (key: string) => {
    const page = await scene.signIn({ key });
    await page.visit(tab(directory), 'job_title');
    return { page, has: [await page.has('Edit: job_title'), await page.has('Preview')] };
  };
  expect((await shown(reader!.key)).has).toEqual([false, false]);
  expect((await shown(viewer!.key)).has).toEqual([false, true]);
  const { page, has } = await shown(writer!.key);
  expect(has).toEqual([true, false]);
  await page.use('Edit: job_title');
  await page.see('Source of job_title');
  await choose(page, 'No value');
  await confirm(page);
  await page.use('Save');
  await page.see('is not known without people:read');
  await confirm(page);
  await page.see('Saved the mapping.');
  expect((await readMapping(directory)).attributes).toEqual({ job_title: null });
});

it('shows how far a recomputation is, and when it has ended', async () => {
  const directory = await createPeople();
  await setMapping(scene.service, directory.id, { job_title: { path: 'nickName' } });
  const recompute = () => scene.service.db('attribute_recomputes').where({ directory_id: directory.id });
  await recompute().update({ finished_at: null, done: 1 });
  const page = await scene.signIn();
  await page.visit(tab(directory), 'are computed, since');
  expect(await page.text()).toContain('1 of 2 users are computed');
  expect(await page.evaluate(`[document.querySelector('progress').value, document.querySelector('progress').max]`)).toEqual([1, 2]);
  expect(await page.findFlaws()).toEqual([]);
  await recompute().update({ finished_at: new Date(), done: 2 });
  await page.see('The last recomputation of users ended');
});

itFitsEveryWindow(() => scene, {
  name: 'attributes',
  emptyText: 'The product has no attributes',
  async createFilled() {
    const directory = await createPeople();
    await setMapping(scene.service, directory.id, {
      job_title: { first_of: [{ path: `urn:acme:2.0:User:${'role'.repeat(40)}` }, { constant: hostile }] },
      level: null,
    });
    return directory;
  },
  filledText: 'job_title',
  dialog: { button: 'Edit: job_title', text: 'Source of job_title' },
});
