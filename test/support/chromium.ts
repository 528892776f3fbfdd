import { chromium as playwright, type Page } from 'playwright-core';

interface PageOptions {
  width?: number;
  height?: number;
  isDark?: boolean;
  /** For example `Asia/Tokyo`; default: that of the machine. */
  timeZone?: string;
  runsScripts?: boolean;
}

/** A guard, not a measure. */
const patienceMs = 90_000;

export type ChromiumPage = Awaited<ReturnType<Awaited<ReturnType<typeof startChromium>>['openPage']>>;

/**
 * The Chromium that CHROMIUM names, driven by Playwright. `allowedOrigin` is the only one that pages may load from. Its pages share their
 * cookies, except those that run no scripts.
 */
export async function startChromium(allowedOrigin: () => string) {
  const browser = await playwright.launch({ executablePath: process.env['CHROMIUM']!, timeout: patienceMs });
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });

  return { openPage, stop: () => browser.close() };

  async function openPage({ width = 1280, height = 900, isDark = false, runsScripts = true, timeZone }: PageOptions = {}) {
    const page = await (runsScripts ? context : await browser.newContext({ javaScriptEnabled: false })).newPage();
    page.setDefaultTimeout(patienceMs);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
    if (timeZone !== undefined) {
      const session = await page.context().newCDPSession(page);
      await session.send('Emulation.setTimezoneOverride', { timezoneId: timeZone });
    }
    let loads = 0;
    page.on('load', () => (loads += 1));

    return {
      problems: noteProblems(page, allowedOrigin),
      countLoads: () => loads,
      open: async (url: string) => void (await page.goto(url)),
      /** Clicks what can be seen and is not covered, and waits for the next page if there is one. */
      click: async (selector: string, { leads = true } = {}) => {
        const next = leads ? page.waitForEvent('load') : undefined;
        await Promise.all([page.locator(selector).first().click(), next]);
      },
      /** Clicks the button, or the link, with this name, once it can be used. */
      use: (name: string) =>
        page
          .getByRole('button', { name, exact: true })
          .or(page.getByRole('link', { name, exact: true }))
          .first()
          .click(),
      /** Presses a key as a keyboard does, for example `Tab`, `Enter`, or a letter. */
      press: (key: string) => page.keyboard.press(key),
      /** Types into what has the focus. */
      type: (text: string) => page.keyboard.insertText(text),
      setSize: (to: { width: number; height: number }) => page.setViewportSize(to),
      /** Each response comes so much later. */
      async slowDown(latency: number) {
        const session = await page.context().newCDPSession(page);
        await session.send('Network.enable');
        await session.send('Network.emulateNetworkConditions', {
          offline: false,
          latency,
          downloadThroughput: -1,
          uploadThroughput: -1,
        });
      },
      /** Requests to addresses like these fail; `*` stands for any text. */
      async block(...urls: string[]) {
        for (const url of urls) await page.route(url.replaceAll('*', '**'), (route) => route.abort());
      },
      cookies: () => page.context().cookies(page.url()),
      /** Works also where scripts of the page do not run. */
      evaluate: <Value>(expression: string) => page.evaluate<Value>(expression),
      text: () => page.evaluate<string>('document.body.innerText'),
      screenshot: (): Promise<Buffer> => page.screenshot({ fullPage: true }),
    };
  }
}

/** What no page may do: break its policy, log errors, load from elsewhere, throw, or open dialogs. */
function noteProblems(page: Page, allowedOrigin: () => string): string[] {
  const problems: string[] = [];
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => problems.push(`exception: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    // A response that is an error is what many tests want to see.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource:')) problems.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && new URL(url).origin !== allowedOrigin()) problems.push(`foreign request: ${url}`);
  });
  return problems;
}
