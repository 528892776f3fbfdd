import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { formerDirectoryId, toDirectoryKey } from '../../src/directory/directories/former-ids.ts';
import { newId } from '../../src/ids.ts';
import { createKey } from '../support/api-keys.ts';
import { readAuditLog } from '../support/audit.ts';
import type { ConsolePage } from '../support/console.ts';
import { adaName, startRecordsScene, type RecordsScene } from '../support/console-records.ts';
import { hold } from '../support/pulled-directories.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

let scene: RecordsScene;
beforeAll(async () => {
  scene = await startRecordsScene();
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

const tab = ({ id }: Pick<TestDirectory, 'id'>, rest: string) => `/directories/${id}/${rest}`;
const untilGone = (page: ConsolePage, text: string) => until(async () => !(await page.text()).includes(text));

/** Presses the main button of the dialog. */
async function confirm(page: ConsolePage) {
  await until(() => page.evaluate<boolean>('Boolean(document.querySelector("dialog[open] .main:not([disabled])"))'));
  await page.evaluate('document.querySelector("dialog[open] .main").click()');
}

it('finds a user by each of its names, and shows what is known of it', async () => {
  const page = await scene.signIn();
  await page.visit(tab(scene.busy, 'users'), 'bob@globex.example');
  for (const search of ['ADA@globex.example', 'ext-4711', scene.ada.id]) {
    await page.fill('Search by', search);
    await until(async () => (await page.address()).includes(`search=${encodeURIComponent(search)}`));
    await untilGone(page, 'bob@globex.example');
    await page.see(adaName);
  }
  await page.use(adaName);
  await page.see('Mapped fields');
  for (const text of ['ext-4711', 'Engineering', scene.ada.userName]) await page.see(text);
  await page.visit(tab(scene.busy, 'users?state=inactive'), 'bob@globex.example');
  expect(await page.text()).not.toContain(adaName);
});

it('answers on one screen why a user is not in the application', async () => {
  const page = await scene.signIn();
  await page.visit(tab(scene.busy, `users/${scene.ada.id}`), 'Your application has acknowledged the newest event (User added to group).');
  for (const text of ['Request: POST /Users', 'Event: User created', 'Delivery: Delivered']) await page.see(text);
  // The second request for the same name was refused.
  await page.see('The last change that the identity provider sent failed with 409');
  const [{ id: failed }] = (await scene.service.api('GET', `/api/v1/directory-sync/users?directory_id=${scene.failing.id}`)).body.data;
  await page.visit(tab(scene.failing, `users/${failed}`), 'Your application has not acknowledged the newest event (User created).');
  await page.see('The receiver responded with 503');
  const { body: gone } = await scene.busy.scim('POST', '/Users', { userName: 'gone@globex.example' });
  await scene.busy.scim('DELETE', `/Users/${gone.id}`);
  await page.visit(tab(scene.busy, `users/${gone.id}`), 'There is no such user');
  await page.see('Event: User deleted');
  const noted = await readAuditLog(scene.service, { action: 'user.exported', target: scene.ada.id });
  expect(noted.length).toBe(3);
  expect(new Set(noted.map(({ changes }) => changes?.['only']))).toEqual(new Set(['deliveries', 'events', 'requests']));
});

it('shows the members of a group by page', async () => {
  const members = [];
  for (let one = 0; one < 51; one += 1) members.push({ value: (await scene.busy.scim('POST', '/Users', { userName: `m${one}` })).body.id });
  const { body: group } = await scene.busy.scim('POST', '/Groups', { displayName: 'Everyone', members });
  const page = await scene.signIn();
  await page.visit(tab(scene.busy, `groups/${group.id}`), 'm50');
  expect(await page.text()).toContain('51 members');
  await page.use('Next page');
  await page.see('m0\n');
  expect(await page.address()).toContain('cursor=');
});

it('shows events while they happen, by type', async () => {
  const page = await scene.signIn();
  await page.visit(tab(scene.waiting, 'events'), 'There is no event yet');
  await scene.waiting.scim('POST', '/Users', { userName: 'live@initech.example' });
  await page.see('live@initech.example');
  await page.fill('Type', 'group.created');
  await page.see('There is no event of this type');
  expect(await page.address()).toContain('type=group.created');
  await page.use('Show all types');
  await page.see('live@initech.example');
});

it('says that older events may be of a type when none of the newest 10,000 is', async () => {
  const { id, scim } = await scene.service.createDirectory({ name: 'Old', tenant: 'old' });
  await scim('POST', '/Groups', { displayName: 'The oldest' });
  const [first, last] = [2, 10_002];
  await scene.service.db.raw(
    `insert into stored_events (directory_id, sequence, id, type, occurred_at)
     select cast(:id as uuid), n, gen_random_uuid(), 'user.updated', now() from generate_series(cast(:first as int), cast(:last as int)) n`,
    { id, first, last },
  );
  await scene.service.db('all_directories').where({ id }).update({ last_sequence: last });
  const page = await scene.signIn();
  await page.visit(tab({ id }, 'events?type=group.created'), 'None of the events looked at is of this type');
  await page.see('The next page looks at older events.');
  await page.use('Next page');
  await page.see('The oldest');
  expect(await page.address()).toContain('type=group.created&cursor=');
});

it('shows request and response of an attempt, and retries now', async () => {
  const [pending] = await scene.deliveriesOf(scene.failing);
  const page = await scene.signIn();
  await page.visit(tab(scene.failing, 'deliveries?status=pending'), 'Pending');
  await page.use('User created');
  for (const text of ['Attempt 1', 'webhook-id', 'Service Unavailable', '"user.created"']) await page.see(text);
  const received = scene.failingReceiver.received.length;
  await page.use('Retry now');
  await page.see('The next attempt begins now.');
  await until(() => scene.failingReceiver.received.length > received);
  await page.see('Attempt 2');
  expect((await readAuditLog(scene.service, { action: 'delivery.retried', target: pending!.id })).length).toBe(1);
  await page.visit('/deliveries', 'responded with 503');
  const before = scene.failingReceiver.received.length;
  const [name] = await page.evaluate<string[]>(
    `[...document.querySelectorAll('button')].map((one) => one.getAttribute('aria-label') ?? '').filter((label) => label.startsWith('Retry now'))`,
  );
  await page.use(name!);
  await until(() => scene.failingReceiver.received.length > before);
});

it('shows the headers and the response of an attempt side by side, if they are kept', async () => {
  const page = await scene.signIn();
  const [notKept] = await scene.deliveriesOf(scene.failing);
  await page.visit(tab(scene.failing, `deliveries/${notKept!.id}`), 'Headers and responses are kept of deliveries that begin while');
  const fields = { name: 'Kept', tenant: 'kept', webhook_url: scene.failingReceiver.url, log_webhook_events: true };
  const directory = await scene.service.createDirectory(fields);
  await directory.scim('POST', '/Users', { userName: 'ada@kept.example' });
  await until(async () => (await scene.service.db('webhook_attempts').where({ directory_id: directory.id })).length > 0);
  const [delivery] = await scene.deliveriesOf(directory);
  await page.visit(tab(directory, `deliveries/${delivery!.id}`), 'Service Unavailable');
  const [request, response] = await page.evaluate<{ left: number; text: string }[]>(
    `[...document.querySelector('.attempt .columns').children].map((one) => ({ left: one.getBoundingClientRect().left, text: one.innerText }))`,
  );
  for (const text of ['webhook-signature: v1,', 'ada@kept.example']) expect(request!.text).toContain(text);
  for (const text of ['Status 503', 'transfer-encoding: chunked', 'Service Unavailable']) expect(response!.text).toContain(text);
  expect(response!.left).toBeGreaterThan(request!.left);
  expect(await page.text()).not.toContain('Headers and responses are kept of deliveries that begin while');
  expect(await page.findFlaws()).toEqual([]);
});

it('copies where the browser has no clipboard for a page without https', async () => {
  const page = await scene.signIn();
  await page.visit(tab(scene.busy, ''), 'SCIM endpoint');
  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
  await page.use('Copy: SCIM endpoint');
  await page.see('SCIM endpoint: copied.');
  expect(await page.evaluate<boolean>('navigator.clipboard === undefined')).toBe(true);
});

it('links a directory to its workflows in Temporal, unless the session is narrowed or lacks a scope', async () => {
  const link = `document.querySelector('a[href^="https://temporal.example/"]')?.href ?? ''`;
  const page = await scene.signIn();
  await page.visit(tab(scene.busy, ''), 'Workflows in Temporal');
  const href = await page.evaluate<string>(link);
  expect(new URL(href).pathname).toMatch(/^\/ui\/namespaces\/[\w-]+\/workflows$/);
  expect(new URL(href).searchParams.get('query')).toBe(`DirectoryIds = "${scene.busy.id}"`);
  // An imported one may have an ID that is not its key.
  const former = { tenant: 'former', product: 'crm' };
  const [publicId, id] = [formerDirectoryId(former), toDirectoryKey(formerDirectoryId(former))];
  await scene.service.db('directories').insert({ id, ...former, name: 'Former', type: 'generic-scim-v2' });
  await scene.service.db('webhook_endpoints').insert({ id: newId(), directory_id: id });
  const { body } = await scene.service.api('GET', `/api/v1/directory-sync/${publicId}`);
  expect(body.data.id).toBe(publicId);
  expect(new URL(body.data.temporal_workflows_url).searchParams.get('query')).toBe(`DirectoryIds = "${id}"`);
  await scene.service.db('all_directories').where({ id }).delete();
  for (const fields of [{ directory_id: scene.busy.id, scopes: ['directories:read'] }, { preset: 'read-only' }]) {
    const limited = await createKey(scene.service, fields);
    const other = await scene.signIn({ key: limited.key });
    await other.visit(tab(scene.busy, ''), 'Last 24 hours');
    expect(await other.text()).not.toContain('Workflows in Temporal');
  }
});

it('draws pushes, events and failures of the last day, also as a table', async () => {
  const page = await scene.signIn();
  await page.visit(tab(scene.failing, ''), 'Last 24 hours');
  await page.see('Failed attempts');
  const { bars, labels } = await page.evaluate<{ bars: number; labels: string[] }>(`({
    bars: [...document.querySelectorAll('.chart .bar')].filter((bar) => bar.getBoundingClientRect().height > 1).length,
    labels: [...document.querySelectorAll('.chart svg')].map((one) => one.getAttribute('aria-label')),
  })`);
  expect(bars).toBeGreaterThanOrEqual(3);
  expect(labels).toEqual([
    expect.stringMatching(/^Pushes by hour: \d/),
    expect.stringMatching(/^Events by hour: \d/),
    expect.stringMatching(/^Failed attempts by hour: \d/),
  ]);
  await page.evaluate(`document.querySelector('details summary').click()`);
  await page.see('Hour from');
  expect(await page.evaluate<number>(`document.querySelectorAll('table[aria-label="Last 24 hours"] tbody tr').length`)).toBe(24);
  await page.keepScreenshot('activity');
  expect(await page.findFlaws()).toEqual([]);
});

it('lists the deliveries of all directories, failed ones first, by status and product', async () => {
  const page = await scene.signIn();
  await page.visit('/deliveries', 'Attempts');
  const rows = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('table[aria-label="Deliveries"] tbody tr')].map((row) => row.innerText)`);
  await until(async () => (await rows()).length > 1);
  const shown = await rows();
  expect([shown[0], shown.at(-1)]).toEqual([expect.stringContaining('Pending'), expect.stringContaining('Delivered')]);
  await page.fill('Status', 'delivered');
  await until(async () => (await rows()).every((row) => row.includes('Delivered')));
  await page.fill('Product', 'of nobody');
  await page.see('No delivery matches');
  expect(await page.address()).toBe('/console/deliveries?status=delivered&product=of+nobody');
  await page.use('Show all deliveries');
  await until(async () => (await rows()).length === shown.length);
  await page.use('User created');
  await page.see('Attempt 1');
});

it('replays a delivery only after it was counted, with a warning about old state', async () => {
  const [newest] = await scene.deliveriesOf(scene.busy, '?status=delivered');
  const page = await scene.signIn();
  const received = scene.receiver.received.length;
  await page.visit(tab(scene.busy, `deliveries/${newest!.id}`), 'Acknowledged');
  await page.use('Replay');
  await page.see('1 event would be sent.');
  expect([await page.text(), await page.findFlaws(), scene.receiver.received.length]).toEqual([
    expect.stringContaining('A replay carries old state'),
    [],
    received,
  ]);
  await confirm(page);
  await page.see('Started the replay.');
  await until(() => scene.receiver.received.length === received + 1);
  await page.visit(tab(scene.busy, 'deliveries'), 'Replays');
  await page.use('Replay');
  await page.see('What to send again');
  await page.evaluate(`document.querySelectorAll('dialog input[type=radio]')[2].click()`);
  await page.fill('First sequence', '1');
  await page.fill('Last sequence', '2');
  await confirm(page);
  await page.see('2 events would be sent.');
  expect(scene.receiver.received.length).toBe(received + 1);
  await page.fill('Last sequence', '3');
  await untilGone(page, '2 events would be sent.');
  await confirm(page);
  await page.see('3 events would be sent.');
  await confirm(page);
  await until(() => scene.receiver.received.length === received + 4);
});

it('shows recorded requests by status, and a body when it is asked for', async () => {
  const page = await scene.signIn();
  const directory = await scene.service.createDirectory({ name: 'Requests', tenant: 'requests' });
  await directory.scim('POST', '/Users', { userName: 'ada@acme.example', title: 'Countess' });
  await directory.scim('POST', '/Users', { userName: 'ada@acme.example' });
  await page.visit(tab(directory, 'requests'), '409');
  expect(await page.text()).not.toContain('Countess');
  await page.fill('Status', 'succeeded');
  await untilGone(page, '409');
  await until(() => page.evaluate<boolean>(`document.querySelector('main details summary') !== null`));
  await page.evaluate(`document.querySelector('main details summary').click()`);
  await page.see('Countess');
  await page.use('Copy: Request body');
  await page.see('Request body: copied.');
  expect(JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))).toMatchObject({ title: 'Countess' });
});

it('starts, confirms, refuses and cancels syncs', async () => {
  const page = await scene.signIn();
  const refused = scene.waitingRun;
  await page.visit(tab(scene.pulled, `syncs/${refused.id}`), '11 users deleted');
  await page.use('Refuse the removals');
  await page.see('Nothing was changed. Files that the sync has read are discarded.');
  await confirm(page);
  await page.see('Refused the removals.');
  expect((await scene.pulled.run(refused.id)).error.code).toBe('refused');
  const waitingRun = await scene.pulled.sync();
  await page.visit(tab(scene.pulled, 'syncs'), 'Needs confirmation');
  await page.visit(tab(scene.pulled, `syncs/${waitingRun.id}`), '11 users deleted');
  await page.use('Confirm the removals');
  await page.see('A new run removes what the provider no longer lists: 11 users deleted.');
  await confirm(page);
  await page.see('Succeeded');
  expect(await page.address()).not.toContain(waitingRun.id);
  const runs = await scene.pulled.runs();
  expect([runs[0].confirms, runs[0].state]).toEqual([waitingRun.id, 'succeeded']);
  await page.use('Syncs');
  await page.use('Sync now');
  await page.see('Started the sync.');
  // One that still runs would be the one that is requested next.
  await until(async () => {
    const [newest, ...former] = await scene.pulled.runs();
    return former.length === runs.length && newest.state === 'succeeded';
  });
  const held = hold(scene.google, scene.pulled.isRequestFor('users'));
  const { body } = await scene.pulled.requestSync();
  await held.reached();
  await page.visit(tab(scene.pulled, `syncs/${body.data.id}`), 'Running');
  await page.use('Cancel the sync');
  await page.see('Changes that it has made are kept.');
  await confirm(page);
  await page.see('Canceled the sync.');
  held.release();
  expect((await scene.pulled.untilEnded(body.data.id)).state).toBe('canceled');
  await page.visit(tab(scene.pulled, ''), 'Last successful sync');
  await page.see('Its end');
  expect(await page.text()).not.toContain('Last push');
});

it('creates, lists and revokes setup links', async () => {
  const page = await scene.signIn();
  await page.visit('/setup-links?product=links', 'No setup link matches');
  await page.use('New setup link');
  await page.fill('Tenant', 'stark');
  await page.fill('Webhook URL', scene.receiver.url);
  await page.use('Create');
  await page.see('/setup/');
  const { body } = await scene.service.api('GET', '/api/v1/dsync/setuplinks?tenant=stark&product=links');
  expect([body.data.webhook_secret, await page.text()]).toEqual([
    expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    expect.stringContaining(body.data.url),
  ]);
  await page.see(body.data.webhook_secret);
  expect(await page.has('Create')).toBe(false);
  await page.visit('/setup-links/new?product=links', 'Webhook secret');
  await page.fill('Tenant', 'stark');
  await page.fill('Webhook URL', scene.receiver.url);
  await page.use('Create');
  await page.see('A valid link already exists, so your secret and other values were not used.');
  await page.see(body.data.webhook_secret);
  await page.use('Setup links of the product');
  await page.use('Revoke: stark');
  await page.see('Revoke the setup link?');
  await confirm(page);
  await page.see('Revoked the setup link.');
  expect((await scene.service.api('GET', '/api/v1/dsync/setuplinks?tenant=stark&product=links')).status).toBe(404);
});

it('creates, rotates and revokes API keys, whose value is shown once', async () => {
  const page = await scene.signIn();
  await page.visit('/api-keys/new', 'Chosen scopes');
  await page.fill('Name', 'Billing service');
  await page.evaluate(`[...document.querySelectorAll('input[type=radio]')].at(-1).click()`);
  await page.see('people:read');
  await page.evaluate(`[...document.querySelectorAll('label')].find((one) => one.textContent === 'people:read').click()`);
  await page.use('Create');
  await page.see('it cannot be read again');
  const [, value] = /(rcl_\w{20,})/.exec(await page.text())!;
  const asKey = () =>
    fetch(`${scene.service.baseUrl}/api/v1/directory-sync/users?directory_id=${scene.busy.id}`, {
      headers: { authorization: `Bearer ${value}` },
    });
  expect((await asKey()).status).toBe(200);
  await page.visit('/api-keys', 'Billing service');
  expect(await page.text()).not.toContain(value);
  await page.use('Rotate: Billing service');
  await confirm(page);
  await page.see('it cannot be read again');
  await page.use('Revoke: Billing service');
  await confirm(page);
  await page.see('Revoked the API key.');
  await until(async () => (await asKey()).status === 401);
});

it('shows the audit log by actor, and what was changed', async () => {
  await scene.service.api('PATCH', `/api/v1/directory-sync/${scene.busy.id}`, { name: 'Globex Corporation' });
  const page = await scene.signIn();
  await page.visit('/audit-log?action=directory.updated', 'Details');
  const shown = await page.evaluate<string[]>(`[...document.querySelectorAll('tbody code')].map((name) => name.textContent)`);
  expect([...new Set(shown)]).toEqual(['directory.updated']);
  await page.evaluate(`document.querySelector('main details summary').click()`);
  await page.see('Globex Corporation');
  await page.fill('Actor ID', 'nobody');
  await page.see('No entry matches');
});

it('shows nothing of what a session may not do', async () => {
  const key = await createKey(scene.service, { scopes: ['directories:read', 'deliveries:read', 'syncs:read'] });
  const page = await scene.signIn({ key: key.key });
  await page.visit(tab(scene.busy, 'deliveries'), 'Delivered');
  for (const name of ['Users', 'Groups', 'Events', 'SCIM requests', 'Replay', 'Setup links', 'API keys', 'Audit log'])
    expect([name, await page.has(name)]).toEqual([name, false]);
  await page.visit(tab(scene.busy, `users/${scene.ada.id}`), 'This page does not exist');
  await page.visit('/audit-log', 'Not found');
  const [pending] = await scene.deliveriesOf(scene.failing);
  await page.visit(tab(scene.failing, `deliveries/${pending!.id}`), 'Attempt 1');
  expect(await page.has('Retry now')).toBe(false);
  await page.visit(tab(scene.pulled, 'syncs'), 'Succeeded');
  expect(await page.has('Sync now')).toBe(false);
  const reader = await scene.signIn({ key: (await createKey(scene.service, { scopes: ['deliveries:read'] })).key });
  await reader.see('deliveries:read');
  expect(await reader.has('Deliveries')).toBe(false);
});
