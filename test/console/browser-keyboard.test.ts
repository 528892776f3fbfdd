import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { createMapped } from '../support/attributes.ts';
import type { ConsolePage } from '../support/console.ts';
import { startRecordsScene, type RecordsScene } from '../support/console-records.ts';
import { setRoles } from '../support/roles.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

let scene: RecordsScene;
let mapped: TestDirectory;
beforeAll(async () => {
  scene = await startRecordsScene();
  await createKey(scene.service, { name: 'billing' });
  mapped = await createMapped(scene.service, [{ name: 'job_title' }]);
  await setRoles(scene.service, mapped.id, { groups: ['A', 'B'].map((name) => ({ group_name: name, role: name })) });
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

const directory = ({ id }: { id: string }, rest = '') => `/directories/${id}${rest}`;

/** Every page, and what it shows when it has been read. */
async function listPages(): Promise<[path: string, text: string][]> {
  const { busy, failing, pulled, ada, group, waitingRun } = scene;
  const [delivery] = await scene.deliveriesOf(failing);
  return [
    ['', 'Needs attention'],
    ['/directories', 'Initech'],
    ['/directories/new', 'Tenant'],
    ['/deliveries', 'responded with 503'],
    ['/setup-links', 'Not opened'],
    ['/setup-links/new', 'Webhook secret'],
    ['/api-keys', 'Active'],
    ['/api-keys/new', 'Chosen scopes'],
    ['/audit-log', 'Details'],
    ['/account', 'Sign out everywhere'],
    [directory(busy), 'Last 24 hours'],
    [directory(busy, '/users'), 'ada@globex.example'],
    [directory(busy, `/users/${ada.id}`), 'Your application has acknowledged the newest event'],
    [directory(busy, '/groups'), 'Engineering'],
    [directory(busy, `/groups/${group.id}`), 'ada@globex.example'],
    [directory(mapped, '/attributes'), 'job_title'],
    [directory(mapped, '/roles'), 'No such group'],
    [directory(busy, '/events'), 'bob@globex.example'],
    [directory(busy, '/deliveries'), '1 attempt'],
    [directory(failing, `/deliveries/${delivery!.id}`), 'Status 503'],
    [directory(busy, '/requests'), 'POST /Users'],
    [directory(busy, '/settings'), 'Deactivate or delete'],
    [directory(pulled, '/syncs'), 'Needs confirmation'],
    [directory(pulled, `/syncs/${waitingRun.id}`), '11 users deleted'],
  ];
}

/**
 * Numbers what can be used with a pointer, and returns how many there are. A group of
 * radio buttons counts as one. Notes what gets the focus.
 */
const numberControls = `(() => {
  const groups = new Set();
  let count = 0;
  for (const one of document.querySelectorAll('a[href], button, input, select, textarea, summary')) {
    if (one.disabled || one.getClientRects().length === 0 || (one.type === 'radio' && groups.has(one.name))) continue;
    if (one.type === 'radio') groups.add(one.name);
    one.dataset.control = one.type === 'radio' ? one.name : String(count);
    if (one.type === 'radio') for (const other of document.getElementsByName(one.name)) other.dataset.control = one.name;
    count += 1;
  }
  window.reached = new Set();
  document.addEventListener('focusin', ({ target }) => { if (target.dataset.control !== undefined) reached.add(target.dataset.control); });
  return count;
})()`;
const name = `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()`;

it('reaches everything on every page with Tab', async () => {
  const page = await scene.signIn({ width: 1280 });
  for (const [path, text] of await listPages()) {
    await page.visit(path, text);
    await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
    const count = await page.evaluate<number>(numberControls);
    let reached: string[] = [];
    for (let presses = 0; presses < 2 * count && reached.length < count; presses += 10) {
      for (let press = 0; press < 10; press += 1) await page.press('Tab');
      reached = await page.evaluate<string[]>('[...reached]');
    }
    const missed = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[data-control]')].filter((one) => !${JSON.stringify(reached)}.includes(one.dataset.control)).map((one) => one.outerHTML.slice(0, 200))`,
    );
    expect([path, missed]).toEqual([path, []]);
  }
}, 180_000);

/** Opens the dialog of a button with the keyboard, looks for a way out of it, and closes it. */
async function expectToKeepFocus(page: ConsolePage, opener: string): Promise<void> {
  const find = `[...document.querySelectorAll('button')].find((one) => (one.getAttribute('aria-label') ?? one.textContent).trim().startsWith(${JSON.stringify(opener)}))`;
  await until(() => page.evaluate<boolean>(`Boolean(${find})`));
  await page.evaluate(`${find}.focus()`);
  const focused = await page.evaluate<string>(name);
  await page.press('Enter');
  await until(() => page.evaluate<boolean>(`document.querySelector('dialog')?.open ?? false`));
  const controls = await page.evaluate<number>(`document.querySelectorAll('dialog :is(button, input, select, textarea):enabled').length`);
  let cancels = 0;
  for (let presses = 0; presses < 3 * (controls + 2); presses += 1) {
    await page.press('Tab');
    // Behind the last control is the browser itself; then the body has the focus.
    const isOutside = await page.evaluate<boolean>(
      `document.activeElement !== document.body && document.activeElement.closest('dialog') === null`,
    );
    expect([opener, isOutside]).toEqual([opener, false]);
    if ((await page.evaluate<string>(name)) === 'Cancel') cancels += 1;
  }
  expect(cancels).toBeGreaterThan(1);
  await page.press('Escape');
  await until(() => page.evaluate<boolean>(`document.querySelector('dialog') === null`));
  expect(await page.evaluate<string>(name)).toBe(focused);
}

// oxlint-disable-next-line jest/expect-expect -- expectToKeepFocus does
it('keeps the focus in an open dialog, and returns it to the button', async () => {
  const page = await scene.signIn({ width: 1280 });
  const [delivery] = await scene.deliveriesOf(scene.busy);
  const dialogs: [path: string, text: string, openers: string[]][] = [
    [directory(scene.busy, '/settings'), 'Deactivate or delete', ['Pause', 'Rotate', 'Deactivate', 'Delete']],
    [directory(mapped, '/attributes'), 'job_title', ['Edit: job_title', 'Edit attributes']],
    [directory(mapped, '/roles'), 'No such group', ['Add a row', 'Edit: A', 'Remove the table']],
    [directory(scene.busy, `/deliveries/${delivery!.id}`), 'Acknowledged', ['Replay']],
    [directory(scene.pulled, `/syncs/${scene.waitingRun.id}`), '11 users deleted', ['Confirm the removals', 'Refuse the removals']],
    ['/setup-links', 'Not opened', ['Revoke']],
    ['/api-keys', 'Active', ['Rotate', 'Revoke']],
    ['/account', 'Sign out everywhere', ['Sign out everywhere']],
  ];
  for (const [path, text, openers] of dialogs) {
    await page.visit(path, text);
    for (const opener of openers) await expectToKeepFocus(page, opener);
  }
}, 180_000);
