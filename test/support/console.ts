import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChromium, type ChromiumPage } from './chromium.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { apiKey, startTestService, type TestDirectory, type TestService } from './service.ts';
import { until } from './until.ts';

export const hostile = `<img src=x onerror="alert(1)"><script>alert(2)</script>'"&`;

type Chromium = Awaited<ReturnType<typeof startChromium>>;

export interface ConsoleScene {
  service: TestService;
  /** It responds with 503. */
  failingReceiver: Receiver;
  receiver: Receiver;
  healthy: TestDirectory;
  failing: TestDirectory;
  waiting: TestDirectory;
  /** A page on which somebody has signed in with a key. */
  signIn(options?: Parameters<Chromium['openPage']>[0] & { key?: string }): Promise<ConsolePage>;
  openPage(options?: Parameters<Chromium['openPage']>[0]): Promise<ChromiumPage>;
  /** Opens an address of another origin, in the browser with the session. */
  openForeign(url: string): Promise<ChromiumPage>;
  /** Throws if a page broke its policy, loaded from elsewhere, threw, or opened a dialog. */
  checkPages(): void;
  stop(): Promise<void>;
}

/** A service with a healthy, a failing and a silent directory, and a browser. */
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
  for (const directory of [healthy, failing]) await directory.scim('POST', '/Users', { userName: 'ada@acme.example', active: true });
  const chromium = await startChromium(() => new URL(service.baseUrl).origin);
  await untilHealth(service, healthy, 'healthy');
  await untilHealth(service, failing, 'failing');
  const pages: ChromiumPage[] = [];
  const openPage: ConsoleScene['openPage'] = async (options) => {
    const page = await chromium.openPage(options);
    pages.push(page);
    return page;
  };
  return {
    service,
    failingReceiver,
    receiver,
    healthy,
    failing,
    waiting,
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
    async stop() {
      await chromium.stop();
      await service.stop();
      await Promise.all([receiver.close(), failingReceiver.close()]);
    },
  };
}

export const untilHealth = (service: TestService, { id }: TestDirectory, status: string) =>
  until(async () => (await service.api('GET', `/api/v1/directory-sync/${id}`)).body.data.health.status === status);

export type ConsolePage = ReturnType<typeof describePage>;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const screenshots = process.env['SCREENSHOTS_FOLDER'];

/** The button, or the link, with this name. */
const button = (name: string) =>
  `[...document.querySelectorAll('button, a')].find((one) => (one.getAttribute('aria-label') ?? one.textContent).trim() === ${JSON.stringify(name)})`;

/** What somebody sees and does on a page of the console. */
function describePage(page: ChromiumPage, baseUrl: string) {
  const see = async (text: string) => {
    let shown = '';
    const isShown = async () => (shown = await page.text()).includes(text);
    await until(isShown).catch((cause: unknown) => {
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
    /** Presses the button, or follows the link, with this name. */
    async use(name: string) {
      await until(() => page.evaluate<boolean>(`Boolean(${button(name)})`));
      await page.evaluate(`${button(name)}.click()`);
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
    /** The serious findings of axe, and whether something is wider than the window. */
    async findFlaws(): Promise<string[]> {
      await page.evaluate(`${axe}; undefined`);
      const found = await page.evaluate<string[]>(`axe.run(document).then(({ violations }) => violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => [id, target.join(' '), failureSummary].join(': '))))`);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      return overflow > 0 ? [...found, `The page is ${overflow} pixels wider than the window.`] : found;
    },
    /** Kept if SCREENSHOTS_FOLDER is set, to be looked at. */
    async keepScreenshot(name: string) {
      if (screenshots === undefined) return;
      await mkdir(screenshots, { recursive: true });
      await writeFile(join(screenshots, `${name}.png`), await page.screenshot());
    },
  };
}
