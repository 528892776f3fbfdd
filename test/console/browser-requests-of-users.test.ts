import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { hostile, startConsoleScene, type ConsoleScene } from '../support/console.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';
import { createMany } from '../support/user-requests.ts';

/** "Why is Ada not in my application?", in a directory that has had many requests since. */

let scene: ConsoleScene;
let directory: TestDirectory;
let eve: { id: string };
beforeAll(async () => {
  scene = await startConsoleScene();
  directory = await scene.service.createDirectory({ name: 'Soylent', tenant: 'soylent' });
  const userName = `eve ${hostile}`;
  ({ body: eve } = await directory.scim('POST', '/Users', { userName }));
  await directory.scim('POST', '/Users', { userName });
  await directory.scim('PATCH', `/Users/${eve.id}`, { Operations: [{ op: 'unknown' }] });
  await until(async () => (await scene.service.db('user_requests').where({ directory_id: directory.id, status: 400 })).length > 0);
  await createMany(scene.service.db, directory.id, 10_000);
}, 120_000);
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

it('the timeline of a user has its requests after 10,000 others, and says what went wrong', async () => {
  const page = await scene.signIn();
  await page.visit(`/directories/${directory.id}/users/${eve.id}`, 'Request: POST /Users');
  await page.see(`Request: PATCH /Users/${eve.id}`);
  await page.see('The last change that the identity provider sent failed with 400');
  expect(await page.findFlaws()).toEqual([]);
});

it('a search that finds nobody leads to the requests that failed to create the user', async () => {
  await directory.scim('POST', '/Users', { userName: 'mallory@soylent.example', active: { not: 'a boolean' } });
  await until(
    async () => (await scene.service.db('user_requests').where({ directory_id: directory.id, path: '/Users', status: 400 })).length > 0,
  );
  const page = await scene.signIn();
  await page.visit(`/directories/${directory.id}/users?search=mallory@soylent.example`, 'No user matches');
  await page.use('Requests about “mallory@soylent.example”');
  await page.see('The last 50 requests about the user');
  await page.see('POST /Users');
  expect(await page.address()).toContain('/requests?user=mallory');
  expect(await page.findFlaws()).toEqual([]);
  await page.fill('User', 'nobody');
  await page.see('No request matches');
  await page.fill('User', hostile);
  await page.see('No request matches');
  await page.use('Show all requests');
  await page.see('The last 100 requests');
});
