import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { hostile } from '../support/console.ts';
import { startRecordsScene, type RecordsScene } from '../support/console-records.ts';

let scene: RecordsScene;
let deliveries: Record<'busy' | 'failing', string>;
beforeAll(async () => {
  scene = await startRecordsScene();
  await createKey(scene.service, { name: hostile, product: hostile.slice(0, 40) });
  const [[busy], [failing]] = [await scene.deliveriesOf(scene.busy), await scene.deliveriesOf(scene.failing)];
  deliveries = { busy: busy!.id, failing: failing!.id };
});
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

/** Every page of what happened, and what it shows when it has been read. */
const listPages = () => {
  const [busy, failing, pulled] = [scene.busy, scene.failing, scene.pulled].map(({ id }) => `/directories/${id}`);
  const [waiting] = [`/directories/${scene.waiting.id}`];
  return [
    ['users', `${busy}/users`, 'ada@globex.example'],
    ['users-none', `${busy}/users?search=nobody`, 'No user matches'],
    ['users-empty', `${waiting}/users`, 'There is no user yet'],
    ['user', `${busy}/users/${scene.ada.id}`, 'Your application has acknowledged the newest event'],
    ['groups', `${busy}/groups`, 'Engineering'],
    ['groups-empty', `${waiting}/groups`, 'There is no group yet'],
    ['group', `${busy}/groups/${scene.group.id}`, 'ada@globex.example'],
    ['events', `${busy}/events`, 'bob@globex.example'],
    ['events-empty', `${waiting}/events`, 'There is no event yet'],
    ['deliveries-tab', `${busy}/deliveries`, '1 attempt'],
    ['deliveries-tab-empty', `${waiting}/deliveries`, 'The directory has no webhook'],
    ['delivery-delivered', `${busy}/deliveries/${deliveries.busy}`, 'Acknowledged'],
    ['delivery-failing', `${failing}/deliveries/${deliveries.failing}`, 'Status 503'],
    ['requests', `${busy}/requests`, 'POST /Users'],
    ['requests-empty', `${waiting}/requests`, 'The identity provider has sent nothing yet'],
    ['syncs', `${pulled}/syncs`, 'Needs confirmation'],
    ['sync', `${pulled}/syncs/${scene.waitingRun.id}`, '11 users deleted'],
    ['deliveries', '/deliveries', 'responded with 503'],
    ['setup-links', '/setup-links?product=crm&state=not_opened', 'Not opened'],
    ['setup-links-none', '/setup-links?search=nobody', 'No setup link matches'],
    ['new-setup-link', '/setup-links/new', 'Webhook secret'],
    ['api-keys', '/api-keys', 'Active'],
    ['new-api-key', '/api-keys/new', 'Chosen scopes'],
    ['audit-log', '/audit-log', 'Details'],
    ['audit-log-none', '/audit-log?actor=nobody', 'No entry matches'],
  ];
};

describe.each([
  ['light', false],
  ['dark', true],
] as const)('in %s', (theme, isDark) => {
  it('every page of records fits from 400 to 3840 pixels, has no serious finding of axe, and runs nothing of a hostile name', async () => {
    const page = await scene.signIn({ isDark });
    for (const [name, path, text] of listPages()) {
      await page.visit(path!, text!);
      await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
      expect([name, await page.findFlawsInEveryWidth(`${name}-${theme}`)]).toEqual([name, []]);
    }
  }, 300_000);
});
