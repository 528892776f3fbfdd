import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { startConsoleScene, type ConsoleScene } from '../support/console.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

/** "Why is Ada not in my application?", in a directory as it is by default: bodies are deleted once they are delivered. */

let scene: ConsoleScene;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  scene = await startConsoleScene();
}, 120_000);
afterAll(async () => {
  await scene?.stop();
  await receiver.close();
});
afterEach(() => scene.checkPages());

it('the timeline of a user has its request, event and delivery without bodies, and says when the application fails', async () => {
  const { service } = scene;
  const directory = await service.createDirectory({ name: 'Bodies', tenant: 'bodies', webhook_url: receiver.url });
  const { body: ada } = await directory.scim('POST', '/Users', { userName: 'ada@bodies.example' });
  const ofDirectory = { directory_id: directory.id };
  await until(async () => (await service.db('stored_events').where(ofDirectory).whereNull('data')).length === 1);
  await until(async () => (await service.db('user_requests').where(ofDirectory)).length > 0);
  const page = await scene.signIn();
  await page.visit(`/directories/${directory.id}/users/${ada.id}`, 'Your application has acknowledged the newest event (User created).');
  for (const text of [
    'Request: POST /Users',
    'Event: User created',
    'Body deleted after delivery',
    'Delivery: Delivered',
    'User created; 1 attempt',
  ])
    await page.see(text);
  expect(await page.text()).not.toContain('are not kept');
  expect(await page.findFlaws()).toEqual([]);

  receiver.respond = (response) => void response.writeHead(503).end();
  await directory.scim('PATCH', `/Users/${ada.id}`, { Operations: [{ op: 'replace', path: 'title', value: 'Countess' }] });
  await until(
    async () =>
      (
        await service
          .db('webhook_batches')
          .where({ ...ofDirectory, status: 'pending' })
          .where('failures', '>', 0)
      ).length === 1,
  );
  await page.visit(
    `/directories/${directory.id}/users/${ada.id}`,
    'Your application has not acknowledged the newest event (User updated).',
  );
  for (const text of ['The receiver responded with 503', 'Delivery: Pending', 'Event: User updated', 'Delivery: Delivered'])
    await page.see(text);
  expect(await page.findFlaws()).toEqual([]);
});

it('a long history is read part by part', async () => {
  const { service } = scene;
  const directory = await service.createDirectory({ name: 'Long', tenant: 'long', log_webhook_events: true });
  const { body: ada } = await directory.scim('POST', '/Users', { userName: 'ada@long.example' });
  await directory.scim('PATCH', `/Users/${ada.id}`, { Operations: [{ op: 'replace', path: 'title', value: 'Countess' }] });
  // More than an answer holds.
  await service.db.raw(
    `insert into stored_events (directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
     select directory_id, sequence + n, gen_random_uuid(), type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at
     from stored_events, generate_series(1, 600) n where directory_id = ? and sequence = 2`,
    [directory.id],
  );
  await service.db('directories').where({ id: directory.id }).increment('last_sequence', 600);
  const page = await scene.signIn();
  await page.visit(`/directories/${directory.id}/users/${ada.id}`, 'Look further back');
  expect(await page.text()).not.toContain('Event: User created');
  expect(await page.findFlaws()).toEqual([]);
  await page.use('Look further back');
  await page.see('Event: User created');
});
