import { startChromium, type ChromiumPage } from './chromium.ts';
import { findFlaws, findFlawsInEveryWidth, keepScreenshot } from './find-flaws.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { apiKey, startTestService, type TestDirectory, type TestService } from './service.ts';
import { until } from './until.ts';

export const hostile = `<img src=x onerror="alert(1)"><script>alert(2)</script>'"&`;

type Chromium = Awaited<ReturnType<typeof startChromium>>;
type PageOptions = Parameters<Chromium['openPage']>[0];

export interface ConsoleBrowser {
  /** A page on which somebody has signed in with a key. */
  signIn(options?: PageOptions & { key?: string }): Promise<ConsolePage>;
  openPage: Chromium['openPage'];
  /** Opens an address of another origin, in the browser with the session. */
  openForeign(url: string): Promise<ChromiumPage>;
  /** Throws if a page broke its policy, loaded from elsewhere, threw, or opened a dialog. */
  checkPages(): void;
  stop(): Promise<void>;
}

export interface ConsoleScene extends ConsoleBrowser {
  service: TestService;
  /** It responds with 503. */
  failingReceiver: Receiver;
  receiver: Receiver;
  healthy: TestDirectory;
  failing: TestDirectory;
  waiting: TestDirectory;
  /** Nothing has come for longer than DIRECTORY_STALE_AFTER. */
  stale: TestDirectory;
}

/** A browser for the console of a service. */
export async function openConsole(service: TestService): Promise<ConsoleBrowser> {
  const chromium = await startChromium(() => new URL(service.baseUrl).origin);
  const pages: ChromiumPage[] = [];
  const openPage: Chromium['openPage'] = async (options) => {
    const page = await chromium.openPage(options);
    pages.push(page);
    return page;
  };
  return {
    openPage,
    async signIn({ key = apiKey, ...options } = {}) {
      const page = await openPage(options);
      await page.open(`${service.baseUrl}/console/sign-in`);
      await page.evaluate(`document.querySelector('input[name=api_key]').value = ${JSON.stringify(key)}`);
      await page.click('form button');
      return describePage(page, service.baseUrl);
    },
    async openForeign(url) {
      const page = await chromium.openPage();
      await page.open(url);
      return page;
    },
    checkPages() {
      const problems = pages.splice(0).flatMap((page) => page.problems);
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    stop: () => chromium.stop(),
  };
}

/** A service with a healthy, a failing, a waiting and a stale directory, and a browser. */
export async function startConsoleScene(env: NodeJS.ProcessEnv = {}): Promise<ConsoleScene> {
  const [receiver, failingReceiver] = [await startReceiver(), await startReceiver()];
  failingReceiver.respond = (response) => void response.writeHead(503).end('Service Unavailable');
  const service = await startTestService({ EVENT_BATCH_MAX: '1', ...env }, { recordEveryMs: 20 });
  const healthy = await service.createDirectory({ name: 'Acme, production', webhook_url: receiver.url });
  const failing = await service.createDirectory({
    name: hostile,
    tenant: `${hostile.slice(0, 40)} & Sons`,
    product: 'crm',
    type: 'azure-scim-v2',
    webhook_url: failingReceiver.url,
  });
  const waiting = await service.createDirectory({ name: 'Initech', tenant: 'initech', type: 'okta-scim-v2' });
  const stale = await service.createDirectory({ name: 'Umbrella', tenant: 'umbrella', type: 'onelogin-scim-v2' });
  for (const directory of [healthy, failing, stale]) await directory.scim('POST', '/Users', { userName: 'ada@acme.example', active: true });
  const browser = await openConsole(service);
  await untilHealth(service, healthy, 'healthy');
  await untilHealth(service, failing, 'failing');
  await makeStale(service, stale);
  return {
    ...browser,
    service,
    failingReceiver,
    receiver,
    healthy,
    failing,
    waiting,
    stale,
    async stop() {
      await browser.stop();
      await service.stop();
      await Promise.all([receiver.close(), failingReceiver.close()]);
    },
  };
}

/** What was pushed was pushed 31 days ago. */
async function makeStale(service: TestService, directory: TestDirectory): Promise<void> {
  const at = new Date(Date.now() - 31 * 86_400_000);
  // Requests are recorded in the background.
  await until(() => service.db('directory_pushes').where({ directory_id: directory.id }).update({ last_push_at: at }));
  await service.db('directories').where({ id: directory.id }).update({ created_at: at });
  await service.db('stored_events').where({ directory_id: directory.id }).update({ occurred_at: at });
  await untilHealth(service, directory, 'stale');
}

export const untilHealth = (service: TestService, { id }: TestDirectory, status: string) =>
  until(async () => (await service.api('GET', `/api/v1/directory-sync/${id}`)).body.data.health.status === status);

export type ConsolePage = ReturnType<typeof describePage>;

/** The button, or the link, with this name. */
const button = (name: string) =>
  `[...document.querySelectorAll('button, a')].find((one) => (one.getAttribute('aria-label') ?? one.textContent).trim() === ${JSON.stringify(name)})`;

/** What somebody sees and does on a page of the console. */
function describePage(page: ChromiumPage, baseUrl: string) {
  const see = async (text: string) => {
    let shown = '';
    const isShown = async () => (shown = await page.text()).includes(text);
    await until(isShown, { timeoutMs: 90_000 }).catch((cause: unknown) => {
      throw new Error(`The page does not show “${text}”, but: ${shown}`, { cause });
    });
  };
  return {
    ...page,
    see,
    /** Opens a page of the console, and waits until it shows a text. */
    async visit(path: string, text: string) {
      await page.open(`${baseUrl}/console${path}`);
      await see(text);
    },
    has: (name: string) => page.evaluate<boolean>(`Boolean(${button(name)})`),
    /** Fills the field with this label, as somebody who types does. */
    async fill(label: string, value: string) {
      const field = `[...document.querySelectorAll('label')].find((one) => one.textContent.startsWith(${JSON.stringify(label)}))?.querySelector('input, select')`;
      await until(() => page.evaluate<boolean>(`Boolean(${field})`));
      await page.evaluate(`(() => {
        const field = ${field};
        field.focus();
        field.value = ${JSON.stringify(value)};
        field.dispatchEvent(new Event('input', { bubbles: true }));
        field.dispatchEvent(new Event('change', { bubbles: true }));
      })()`);
    },
    address: () => page.evaluate<string>('location.pathname + location.search'),
    findFlaws: () => findFlaws(page),
    keepScreenshot: (name: string) => keepScreenshot(page, name),
    /** In windows of every width. */
    findFlawsInEveryWidth: (name: string) => findFlawsInEveryWidth(page, name),
  };
}
