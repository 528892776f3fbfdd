import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { untilHealth } from '../support/console.ts';
import { adaName, startRecordsScene, type RecordsScene } from '../support/console-records.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

let scene: RecordsScene;
beforeAll(async () => {
  scene = await startRecordsScene();
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

const tab = ({ id }: Pick<TestDirectory, 'id'>, rest: string) => `/directories/${id}/${rest}`;

it('waits for slow reads, however often it would read again', async () => {
  const page = await scene.signIn();
  await page.visit(tab(scene.busy, ''), 'Set-up at the identity provider');
  // Events are read every 2 seconds.
  await page.slowDown(3_000);
  await page.use('Events');
  // In the list, and in no filter.
  await page.see('bob@globex.example');
  expect(await page.address()).toBe(`/console${tab(scene.busy, 'events')}`);
});

it('stops reading when nobody is there, and goes on when somebody is', async () => {
  const directory = await scene.service.createDirectory({ name: 'Idle', tenant: 'idle' });
  const page = await scene.signIn();
  await page.visit(tab(directory, 'events'), 'There is no event yet');
  await page.evaluate(`(() => {
    const now = Date.now();
    Date.now = () => now + 16 * 60_000;
    window.turns = 0;
    setInterval(() => { window.turns += 1; }, 2_000);
  })()`);
  const count = () => page.evaluate<number>('performance.getEntriesByType("resource").length');
  // What was being read is finished.
  await until(() => page.evaluate<boolean>('window.turns >= 1'));
  const before = await count();
  await until(() => page.evaluate<boolean>('window.turns >= 3'));
  expect(await count()).toBe(before);
  await directory.scim('POST', '/Users', { userName: 'back@idle.example' });
  await page.press('Tab');
  await page.see('back@idle.example');
});

it.each(['users', 'groups'])('finds %s whose ID has signs of addresses', async (kind) => {
  const page = await scene.signIn();
  await page.visit(tab(scene.busy, `${kind}/${encodeURIComponent('ada@acme:7+x/é')}`), 'Not found');
  const addresses = await page.evaluate<string[]>('performance.getEntriesByType("resource").map(({ name }) => name)');
  expect(addresses.filter((address) => address.includes(`/${kind}/ada%40acme%3A7%2Bx%2F%C3%A9?`))).not.toEqual([]);
});

it('does not say that there is no such user when it could not be read', async () => {
  const page = await scene.signIn();
  await page.block('*/api/v1/directory-sync/users/*');
  await page.visit(tab(scene.busy, `users/${scene.ada.id}`), 'Event: User created');
  expect(await page.text()).not.toContain('There is no such user');
  await page.see('Rollcall did not respond.');
});

it('says that a retry had nothing to do', async () => {
  const directory = await scene.service.createDirectory({ name: 'Retried', tenant: 'retried', webhook_url: scene.failingReceiver.url });
  await directory.scim('POST', '/Users', { userName: 'ada@retried.example' });
  await untilHealth(scene.service, directory, 'failing');
  const page = await scene.signIn();
  await page.visit('/deliveries', 'Retried');
  await scene.service.api('PATCH', `/api/v1/directory-sync/${directory.id}`, { webhook_url: scene.receiver.url });
  await untilHealth(scene.service, directory, 'healthy');
  await page.use('Retry now: Retried');
  await page.see('No delivery is waiting for a retry any more.');
  expect(await page.text()).not.toContain('The next attempt begins');
});

it('says that only the first 50 directories are shown, and links to all', async () => {
  for (let one = 0; one < 50; one += 1) {
    const { id } = await scene.service.createDirectory({ name: `Paused ${one}`, product: 'many', webhook_url: scene.receiver.url });
    await scene.service.api('POST', `/api/v1/directory-sync/${id}/pause`);
  }
  const key = await createKey(scene.service, { product: 'many', scopes: ['directories:read', 'deliveries:read'] });
  const page = await scene.signIn({ key: key.key });
  await page.see('the first 50');
  await page.visit('/deliveries', 'the first 50');
  await page.use('Show all directories that need attention');
  await page.see('Paused');
  expect(await page.address()).toBe('/console/directories?health=unhealthy');
});

it('offers only what the API accepts', async () => {
  const scopes = ['directories:read', 'people:read', 'events:read', 'deliveries:read', 'deliveries:write', 'syncs:read', 'syncs:write'];
  const key = await createKey(scene.service, { scopes: [...scopes, 'keys:write'] });
  const page = await scene.signIn({ key: key.key });
  await page.visit('/api-keys/new', 'Support: reads, retries and replays');
  for (const preset of ['An application:', 'A reader', 'An administrator:']) expect(await page.text()).not.toContain(preset);
  await page.fill('Name', 'Support');
  await page.use('Create');
  await page.see('it cannot be read again');
  const narrowed = await createKey(scene.service, {
    directory_id: scene.busy.id,
    scopes: ['directories:read', 'directories:write', 'setup_links:write'],
  });
  const other = await scene.signIn({ key: narrowed.key });
  await other.visit('/directories', 'Globex');
  expect(await other.has('New directory')).toBe(false);
  await other.visit('/directories/new', 'Not found');
  await other.visit('/setup-links/new', 'This page does not exist');
});

it('keeps focus and title with the page, also after going back', async () => {
  const directory = await scene.service.createDirectory({ name: 'Pages', tenant: 'pages' });
  for (let one = 0; one < 51; one += 1) await directory.scim('POST', '/Users', { userName: `page-${one}` });
  const page = await scene.signIn();
  const title = () => page.evaluate<string>('document.title');
  await page.visit(tab(directory, 'users'), 'page-50');
  await until(async () => (await title()) === 'Pages · Users · Rollcall');
  await page.use('Next page');
  await page.see('page-0\n');
  await until(() => page.evaluate<boolean>('document.activeElement.id === "main"'));
  await page.use('page-0');
  await page.see('Mapped fields');
  await until(async () => (await title()).startsWith('page-0'));
  await page.evaluate('history.back()');
  await until(async () => (await title()) === 'Pages · Users · Rollcall');
});

it('says why the bodies of delivered events are missing', async () => {
  const directory = await scene.service.createDirectory({ name: 'Bodies', tenant: 'bodies' });
  const { body } = await directory.scim('POST', '/Users', { userName: 'ada@bodies.example' });
  const page = await scene.signIn();
  await page.visit(tab(directory, `users/${body.id}`), 'Turn on “Keep event bodies” in Settings.');
  await page.visit(tab(scene.busy, `users/${scene.ada.id}`), adaName);
  expect(await page.text()).not.toContain('Bodies of delivered events are not kept');
});
