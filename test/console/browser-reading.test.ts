import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { untilHealth } from '../support/console.ts';
import { startRecordsScene, type RecordsScene } from '../support/console-records.ts';
import { createManyUsers } from '../support/create-many-users.ts';
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

it('shows times in the zone of the viewer, with the exact value on hover', async () => {
  const directory = await scene.service.createDirectory({ name: 'Zones', tenant: 'zones' });
  await directory.scim('POST', '/Users', { userName: 'ada@zones.example' });
  // So old that the day is shown, which is the next one in Tokyo.
  const at = new Date(Date.now() - 32 * 86_400_000);
  at.setUTCHours(20, 0, 0, 0);
  await scene.service.db('stored_events').where({ directory_id: directory.id }).update({ occurred_at: at });
  const read = async (timeZone: string) => {
    const page = await scene.signIn({ timeZone });
    await page.visit(tab(directory, 'events'), 'ada@zones.example');
    const found = `document.querySelector('table[aria-label="Events"] time')`;
    return page.evaluate<string[]>(`[${found}.textContent, ${found}.title].map((text) => text.replaceAll(/\\s/g, ' '))`);
  };
  for (const [timeZone, hour] of [
    ['Asia/Tokyo', '5:00:00 AM GMT+9'],
    ['UTC', '8:00:00 PM UTC'],
  ] as const) {
    const dayIn = (dateStyle: 'medium' | 'full') => at.toLocaleDateString('en-US', { timeZone, dateStyle });
    expect(await read(timeZone)).toEqual([dayIn('medium'), `${dayIn('full')} at ${hour} (${at.toISOString()})`]);
  }
});

it('offers requests of the identity provider only where there are some', async () => {
  const page = await scene.signIn();
  const requests = 'Requests about “nobody”';
  await page.visit(tab(scene.busy, 'users?search=nobody'), requests);
  await page.visit(tab(scene.pulled, 'users?search=nobody'), 'No user matches');
  expect(await page.has(requests)).toBe(false);
  expect(await page.has('Show all users')).toBe(true);
});

it('says what to do next where there is nothing', async () => {
  const { key } = await createKey(scene.service, { product: 'empty', scopes: ['directories:read', 'deliveries:read'] });
  const reader = await scene.signIn({ key });
  await reader.visit('/deliveries', 'There is no delivery yet');
  await reader.use('Show all directories');
  await reader.see('There is no directory yet');
  const page = await scene.signIn();
  await page.visit(tab(scene.busy, 'nothing'), 'This page does not exist');
  await page.use('Overview of the directory');
  await page.see('Last 24 hours');
  const directory = await scene.service.createDirectory({ name: 'Forgotten', tenant: 'forgotten' });
  await createManyUsers(scene.service.db, directory.id, 1);
  const [{ id }] = (await scene.service.api('GET', `/api/v1/directory-sync/users?directory_id=${directory.id}`)).body.data;
  await page.visit(tab(directory, `users/${id}`), 'Nothing is kept about the user');
  await page.use('Requests of the identity provider');
  await page.see('The identity provider has sent nothing yet');
  expect(await page.address()).toBe(`/console${tab(directory, 'requests')}`);
});

it('says why a delivery may have no attempt', async () => {
  const directory = await scene.service.createDirectory({ name: 'Stopped', tenant: 'stopped', webhook_url: scene.failingReceiver.url });
  await directory.scim('POST', '/Users', { userName: 'ada@stopped.example' });
  await untilHealth(scene.service, directory, 'failing');
  await scene.service.api('POST', `/api/v1/directory-sync/${directory.id}/pause`);
  const [delivery] = await scene.deliveriesOf(directory);
  await scene.service.db('webhook_attempts').where({ directory_id: directory.id }).delete();
  const page = await scene.signIn();
  await page.visit(tab(directory, `deliveries/${delivery!.id}`), 'Nothing is delivered now. The settings of the directory show why.');
  expect(await page.has('Retry now')).toBe(false);
  await page.use('settings');
  await page.see('Paused');
  expect(await page.address()).toBe(`/console${tab(directory, 'settings')}`);
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
  await page.visit(tab(scene.busy, 'settings'), 'Directory ID');
  expect([await page.has('Pause'), await page.has('Rotate webhook secret')]).toEqual([true, false]);
  const [broader, expired] = [
    await createKey(scene.service, { name: 'Broader', preset: 'admin' }),
    await createKey(scene.service, { name: 'Expired', scopes: ['people:read'] }),
  ];
  await scene.service
    .db('api_keys')
    .where({ id: expired.id })
    .update({ expires_at: new Date(Date.now() - 1_000) });
  await page.visit('/api-keys', 'Broader');
  const offered = ['Rotate: Broader', 'Revoke: Broader', 'Rotate: Expired', 'Revoke: Expired', 'Rotate: Support'];
  expect(await Promise.all(offered.map((name) => page.has(name)))).toEqual([false, false, false, true, true]);
  expect((await key.api('POST', `/api/v1/api-keys/${broader.id}/rotate`)).status).toBe(403);
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
