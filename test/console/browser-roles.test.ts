import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { hostile, startConsoleScene, type ConsolePage, type ConsoleScene } from '../support/console.ts';
import { choose, confirm } from '../support/console-dialog.ts';
import { itFitsEveryWindow, save } from '../support/console-tabs.ts';
import { push } from '../support/inactive-users.ts';
import { rolesOf, rolesPath, setRoles, untilRolesComputed } from '../support/roles.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The tab "Roles" of a directory. */

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await startConsoleScene();
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

const tab = ({ id }: TestDirectory) => `/directories/${id}/roles`;
const readTable = async ({ id }: TestDirectory) => (await scene.service.api('GET', rolesPath(id))).body.data;

/** Ada is in a group with a hostile name, Bob in none. */
async function createPeople(): Promise<{ directory: TestDirectory; ada: string; group: string }> {
  const directory = await scene.service.createDirectory({ name: 'Roles', tenant: 'roles' });
  const ada = await push(directory, '/Users', { userName: 'ada@acme.example', name: { givenName: 'Ada', familyName: hostile } });
  await push(directory, '/Users', { userName: 'bob@acme.example', name: { givenName: 'Bob' } });
  const group = await push(directory, '/Groups', { displayName: hostile, members: [{ value: ada }] });
  return { directory, ada, group };
}

async function addRow(page: ConsolePage, group: string, role: string): Promise<void> {
  await page.use('Add a row');
  await page.see('How the group is named');
  await page.fill('Group', group);
  await page.fill('Role of its members', role);
  await confirm(page);
  await until(() => page.evaluate<boolean>(`document.querySelector('dialog') === null`));
}

const groupsInOrder = (page: ConsolePage) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('[aria-label="Groups and roles"] tbody td.name .isolated')].map((one) => one.textContent)`,
  );

it('tries a role table on real users, saves it when that is confirmed, and removes it', async () => {
  const { directory, ada, group } = await createPeople();
  const page = await scene.signIn();
  await page.visit(tab(directory), 'There is no role table');
  await addRow(page, hostile.toUpperCase(), 'admin');
  await addRow(page, 'Nobody', 'guest');
  await page.fill('Default role', hostile.slice(0, 60));
  await page.use('Preview');
  await page.see('2 users of 2 would change');
  await page.see('Ada <img');
  await page.see('These groups do not exist now.');
  expect(await page.findFlaws()).toEqual([]);
  await page.use('Save');
  await page.see('Save the role table?');
  await page.use('Cancel');
  expect(await readTable(directory)).toMatchObject({ is_set: false });
  await save(page, 'the role table');
  expect(await readTable(directory)).toMatchObject({
    groups: [
      { group_name: hostile.toUpperCase(), role: 'admin', priority: 1, group: { id: group } },
      { group_name: 'Nobody', role: 'guest', priority: 2, group: null },
    ],
    default_role: hostile.slice(0, 60),
    multiple: false,
    pushed_roles: 'ignore',
  });
  await page.see('No such group');
  await untilRolesComputed(scene.service, directory.id);
  expect(await rolesOf(scene.service, directory.id, ada)).toEqual(['admin', ['admin']]);

  await page.use('Remove the table');
  await page.see('Remove the role table?');
  expect(await page.text()).toContain('2 users of 2 would change, each with a user.updated.');
  expect(await page.findFlaws()).toEqual([]);
  await page.use('Cancel');
  expect(await readTable(directory)).toMatchObject({ is_set: true });
  await page.use('Remove the table');
  await page.see('Remove the role table?');
  await confirm(page);
  await page.see('Removed the role table.');
  await page.see('There is no role table');
  expect(await readTable(directory)).toMatchObject({ is_set: false });
});

it('moves and removes rows with the keyboard, and keeps the focus', async () => {
  const { directory } = await createPeople();
  await setRoles(scene.service, directory.id, {
    groups: ['A', 'B', 'C'].map((name, place) => ({ group_name: name, role: name.toLowerCase(), priority: 10 * (place + 1) })),
  });
  const page = await scene.signIn();
  await page.visit(tab(directory), 'No such group');
  const focused = () => page.evaluate<string>(`document.activeElement.getAttribute('aria-label')`);
  await page.evaluate(`document.querySelector('[aria-label="Move down: A, 1 of 3"]').focus()`);
  await page.press('Enter');
  expect([await groupsInOrder(page), await focused()]).toEqual([['B', 'A', 'C'], 'Move down: A, 2 of 3']);
  await page.press('Enter');
  // It cannot go on: the other button of the row has the focus.
  expect([await groupsInOrder(page), await focused()]).toEqual([['B', 'C', 'A'], 'Move up: A, 3 of 3']);
  await page.evaluate(`document.querySelector('[aria-label="Remove: C"]').focus()`);
  await page.press('Enter');
  expect([await groupsInOrder(page), await focused()]).toEqual([['B', 'A'], 'Remove: A']);
  await save(page, 'the role table');
  expect((await readTable(directory)).groups).toMatchObject([
    { group_name: 'B', role: 'b', priority: 1 },
    { group_name: 'A', role: 'a', priority: 2 },
  ]);
});

it('names a group by its ID, and takes all roles and the pushed ones', async () => {
  const { directory, group } = await createPeople();
  const page = await scene.signIn();
  await page.visit(tab(directory), 'There is no role table');
  await page.use('Add a row');
  await page.see('How the group is named');
  await choose(page, 'By its ID');
  await page.fill('Group ID', group);
  await page.fill('Role of its members', 'admin');
  await confirm(page);
  await choose(page, 'Users have all their roles');
  await choose(page, 'Roles that the identity provider pushes');
  await save(page, 'the role table');
  expect(await readTable(directory)).toMatchObject({
    groups: [{ group_id: group, group_name: null, role: 'admin' }],
    multiple: true,
    pushed_roles: 'include',
    default_role: null,
  });
});

it('says that somebody else has changed the table, and shows theirs after "Discard"', async () => {
  const { directory } = await createPeople();
  await setRoles(scene.service, directory.id, { groups: [{ group_name: 'A', role: 'a' }] });
  const page = await scene.signIn();
  await page.visit(tab(directory), 'No such group');
  await addRow(page, 'B', 'b');
  await setRoles(scene.service, directory.id, { groups: [{ group_name: 'Theirs', role: 't' }] });
  await page.see('Somebody else has changed the role table.');
  await page.use('Discard');
  await page.see('Theirs');
  expect(await groupsInOrder(page)).toEqual(['Theirs']);
  await addRow(page, 'theirs', 'again');
  await page.use('Save');
  await page.see('groups.1.group_name');
  expect((await readTable(directory)).groups).toHaveLength(1);
});

it('does not remove a table that is another one than it has counted', async () => {
  const { directory } = await createPeople();
  await setRoles(scene.service, directory.id, { groups: [{ group_name: 'A', role: 'a' }] });
  const page = await scene.signIn();
  await page.visit(tab(directory), 'No such group');
  await page.use('Remove the table');
  await page.see('No user would change, so no event would be sent.');
  await setRoles(scene.service, directory.id, { groups: [{ group_name: 'Theirs', role: 't' }], default_role: 'guest' });
  await page.see('Somebody else has changed the role table since this was counted.');
  await confirm(page);
  await page.use('Cancel');
  expect(await readTable(directory)).toMatchObject({ is_set: true });
  await page.use('Remove the table');
  await page.see('2 users of 2 would change');
});

it('asks before it removes a table whose users the caller may not count', async () => {
  const { directory } = await createPeople();
  await setRoles(scene.service, directory.id, { groups: [{ group_name: 'A', role: 'a' }] });
  const { key } = await createKey(scene.service, { name: 'sets roles', scopes: ['directories:read', 'directories:write'] });
  const page = await scene.signIn({ key });
  await page.visit(tab(directory), 'No such group');
  await page.use('Remove the table');
  await page.see('How many those are is not known without people:read.');
  await confirm(page);
  await page.see('Removed the role table.');
  expect(await readTable(directory)).toMatchObject({ is_set: false });
});

it('shows only what the scopes allow', async () => {
  const { directory } = await createPeople();
  await setRoles(scene.service, directory.id, { groups: [{ group_name: hostile, role: 'a' }] });
  const { key } = await createKey(scene.service, { name: 'reader of roles', scopes: ['directories:read'] });
  const page = await scene.signIn({ key });
  await page.visit(tab(directory), 'The strongest');
  const buttons = ['Add a row', 'Remove the table', 'Preview', 'Save', `Edit: ${hostile}`];
  expect(await Promise.all(buttons.map((name) => page.has(name)))).toEqual(buttons.map(() => false));
});

itFitsEveryWindow(() => scene, {
  name: 'roles',
  emptyText: 'There is no role table',
  async createFilled() {
    const { directory } = await createPeople();
    await setRoles(scene.service, directory.id, {
      groups: [
        { group_name: hostile, role: 'admin' },
        { group_name: 'x'.repeat(250), role: 'y'.repeat(64) },
      ],
      default_role: hostile.slice(0, 60),
    });
    return directory;
  },
  filledText: 'No such group',
  dialog: { button: 'Add a row', text: 'How the group is named' },
});
