import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import type { ConsolePage } from '../support/console.ts';
import { createCookieBrowser } from '../support/cookie-browser.ts';
import { confirm } from '../support/console-dialog.ts';
import { startRecordsScene, type RecordsScene } from '../support/console-records.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Directories in every state, and the buttons that other files do not press. */

let scene: RecordsScene;
beforeAll(async () => {
  scene = await startRecordsScene();
}, 120_000);
afterAll(() => scene?.stop());
afterEach(() => scene.checkPages());

const createDirectory = (name: string, fields: object = {}) =>
  scene.service.createDirectory({ name, tenant: name.toLowerCase(), webhook_url: scene.receiver.url, ...fields });
const change = ({ id }: Pick<TestDirectory, 'id'>, rest: string, body?: object, method = 'POST') =>
  scene.service.api(method, `/api/v1/directory-sync/${id}${rest}`, body);

/** Makes a directory in a state, and says what its overview shows. */
const states: [state: string, text: string, create: () => Promise<{ id: string }>][] = [
  ['pulled', 'Needs confirmation', () => Promise.resolve(scene.pulled)],
  [
    'paused',
    'Paused',
    async () => {
      const directory = await createDirectory('Paused');
      await change(directory, '/pause', {});
      return directory;
    },
  ],
  [
    'disabled',
    'Disabled',
    async () => {
      const directory = await createDirectory('Disabled');
      await scene.service
        .db('webhook_endpoints')
        .where({ directory_id: directory.id })
        .update({ status: 'disabled', status_reason: 'gone' });
      return directory;
    },
  ],
  [
    'deactivated',
    'Deactivated',
    async () => {
      const directory = await createDirectory('Deactivated');
      await change(directory, '', { deactivated: true }, 'PATCH');
      return directory;
    },
  ],
  [
    'needing authorization',
    'Needs authorization',
    async () => {
      const { body } = await scene.service.api('POST', '/api/v1/directory-sync', { tenant: 'unauthorized', product: 'p', type: 'google' });
      return body.data;
    },
  ],
];

it.each(states)('the overview of a directory that is %s says so, fits, and has no serious finding of axe', async (state, text, create) => {
  const { id } = await create();
  for (const isDark of [false, true]) {
    const page = await scene.signIn({ isDark });
    await page.visit(`/directories/${id}`, text);
    await page.see('Undelivered events');
    expect([state, await page.findFlawsInEveryWidth(`state-${state}-${isDark ? 'dark' : 'light'}`)]).toEqual([state, []]);
  }
});

it('empty lists say what to do next', async () => {
  const directory = await createDirectory('Empty');
  const page = await scene.signIn();
  for (const [path, text] of [
    [`/directories/${directory.id}/deliveries`, 'There is no delivery yet'],
    [`/directories/${directory.id}/events`, 'There is no event yet'],
    ['/deliveries?product=nothing', 'No delivery matches'],
    ['/setup-links?product=nothing', 'No setup link matches'],
  ] as const) {
    await page.visit(path, text);
    expect([path, await page.findFlawsInEveryWidth(`empty-${text}`)]).toEqual([path, []]);
  }
});

it('the deliveries name a delivery that waits, also when the directory needs something else first', async () => {
  const pulled = await createDirectory('Both', { type: 'google' });
  await change(pulled, '/pause', {});
  const page = await scene.signIn();
  await page.visit('/deliveries', 'Both');
  const rows = await page.evaluate<string[]>(`[...document.querySelectorAll('tr')].map((row) => row.innerText)`);
  expect(rows.filter((row) => row.includes('Both'))).toEqual([expect.stringContaining('Paused')]);
  expect(await page.text()).not.toContain('Every delivery works');
});

it('updates of events are paused and resumed', async () => {
  const directory = await createDirectory('Live', { log_webhook_events: true });
  const page = await scene.signIn();
  await page.visit(`/directories/${directory.id}/events`, 'There is no event yet');
  await page.use('Pause updates');
  await page.see('Resume updates');
  expect(await page.address()).toContain('live=off');
  await directory.scim('POST', '/Users', { userName: 'late@live.example' });
  expect(await page.text()).not.toContain('late@live.example');
  expect(await page.findFlaws()).toEqual([]);
  await page.use('Resume updates');
  await page.see('late@live.example');
});

it('the timeline of a user is read again', async () => {
  const directory = await createDirectory('Timeline', { log_webhook_events: true });
  const { body: user } = await directory.scim('POST', '/Users', { userName: 'ada@timeline.example' });
  const page = await scene.signIn();
  await page.visit(`/directories/${directory.id}/users/${user.id}`, 'Event: User created');
  await directory.scim('PUT', `/Users/${user.id}`, { userName: 'ada@timeline.example', title: 'Countess' });
  expect(await page.text()).not.toContain('Event: User updated');
  await page.use('Refresh');
  await page.see('Event: User updated');
});

it('a replay that waits for its receiver is canceled', async () => {
  const directory = await createDirectory('Replay');
  await directory.scim('POST', '/Users', { userName: 'ada@replay.example' });
  await until(async () => (await scene.deliveriesOf(directory, '?status=delivered')).length === 1);
  await change(directory, '', { webhook_url: scene.failingReceiver.url }, 'PATCH');
  expect((await change(directory, '/replays', { mode: 'range', from_sequence: 1, to_sequence: 1 })).status).toBe(202);
  const page = await scene.signIn();
  await page.visit(`/directories/${directory.id}/deliveries`, 'Replays');
  await page.see('0 of 1');
  expect(await page.findFlaws()).toEqual([]);
  await page.use('Cancel');
  await page.see('Canceled the replay.');
  const [replay] = (await change(directory, '/replays', undefined, 'GET')).body.data;
  expect(replay.status).toBe('canceled');
});

const themeOf = (page: ConsolePage) => page.evaluate<string | null>('document.documentElement.getAttribute("data-theme")');

it('the theme is switched, and kept for the next page', async () => {
  const page = await scene.signIn();
  await page.visit('/account', 'Your session');
  for (const [button, theme] of [
    ['Theme: auto', 'light'],
    ['Theme: light', 'dark'],
  ] as const) {
    await page.use(button);
    expect(await themeOf(page)).toBe(theme);
    expect(await page.findFlaws()).toEqual([]);
  }
  await page.visit('/directories', 'Initech');
  expect(await themeOf(page)).toBe('dark');
  await page.use('Theme: dark');
  expect(await themeOf(page)).toBe(null);
});

it('signs out everywhere: all sessions with the key end', async () => {
  const { key } = await createKey(scene.service);
  const elsewhere = createCookieBrowser(scene.service.baseUrl);
  expect((await elsewhere.api('POST', '/api/v1/sessions', { api_key: key })).status).toBe(201);
  const read = async () => (await elsewhere.api('GET', '/api/v1/sessions/current')).status;
  expect(await read()).toBe(200);
  const page = await scene.signIn({ key });
  await page.visit('/account', 'Your session');
  await page.use('Sign out everywhere');
  await page.see('This ends all your sessions in other browsers');
  expect(await page.findFlaws()).toEqual([]);
  await confirm(page);
  await until(async () => (await page.address()) === '/console/sign-in');
  expect(await read()).toBe(401);
});
