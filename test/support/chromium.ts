import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

type Message = Record<string, unknown> & { id?: number; method?: string; sessionId?: string; params?: Record<string, unknown> };
type Listener = (method: string, params: Record<string, unknown>) => void;

interface PageOptions {
  width?: number;
  height?: number;
  isDark?: boolean;
  runsScripts?: boolean;
}

const keys: Record<string, { code: number; text?: string }> = {
  Tab: { code: 9 },
  Enter: { code: 13, text: '\r' },
  Escape: { code: 27 },
  ' ': { code: 32, text: ' ' },
};

export type ChromiumPage = Awaited<ReturnType<Awaited<ReturnType<typeof startChromium>>['openPage']>>;

/** The Chromium that CHROMIUM names, driven by the DevTools protocol over a pipe. `allowedOrigin` is the only one that pages may load from. */
export async function startChromium(allowedOrigin: () => string) {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-chromium-'));
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--lang=en-US'];
  const child = spawn(process.env['CHROMIUM']!, [...flags, '--remote-debugging-pipe', `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const [, , , input, output] = child.stdio as unknown as [null, null, null, NodeJS.WritableStream, NodeJS.ReadableStream];
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, Listener>();
  let last = 0;
  let rest = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = `${rest}${chunk}`.split('\0');
    rest = parts.pop()!;
    for (const part of parts) receive(JSON.parse(part) as Message);
  });

  return { openPage, stop };

  function receive({ id, method, sessionId = '', params = {}, result, error }: Message) {
    if (id === undefined) return listeners.get(sessionId)?.(method!, params);
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error) caller?.reject(new Error(JSON.stringify(error)));
    else caller?.resolve(result);
  }

  function send<Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    last += 1;
    const id = last;
    return new Promise<Result>((resolve, reject) => {
      waiting.set(id, { resolve: (result) => resolve(result as Result), reject });
      input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
  }

  async function openPage({ width = 1280, height = 900, isDark = false, runsScripts = true }: PageOptions = {}) {
    const { targetId } = await send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
    const call = <Result>(method: string, params: object = {}) => send<Result>(method, params, sessionId);
    /** What no page may do: break its policy, load from elsewhere, log errors, or open dialogs. */
    const problems: string[] = [];
    let loads = 0;
    listeners.set(sessionId, (method, params) => {
      if (method === 'Page.loadEventFired') loads += 1;
      if (method === 'Page.javascriptDialogOpening') problems.push(`dialog: ${String(params['message'])}`);
      if (method === 'Runtime.exceptionThrown') problems.push(`exception: ${JSON.stringify(params)}`);
      if (method === 'Audits.issueAdded') noteIssue(params['issue'] as { code: string });
      if (method === 'Network.requestWillBeSent') noteRequest((params['request'] as { url: string }).url);
    });
    for (const domain of ['Page', 'Runtime', 'Network', 'Audits']) await call(`${domain}.enable`);
    await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }] });
    await call('Emulation.setScrollbarsHidden', { hidden: true });
    await call('Emulation.setScriptExecutionDisabled', { value: !runsScripts });

    return {
      problems,
      countLoads: () => loads,
      async open(url: string) {
        await loaded(() => call('Page.navigate', { url }));
      },
      /** Clicks, and waits for the next page if there is one. */
      click: (selector: string, { leads = true } = {}) => {
        const press = () => evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
        return leads ? loaded(press) : press();
      },
      /** Presses a key as a keyboard does, for example `Tab`, `Enter`, or a letter. */
      press: async (key: string) => {
        const { code, text } = keys[key] ?? { code: key.toUpperCase().charCodeAt(0), text: key };
        const event = { key, windowsVirtualKeyCode: code, ...(text !== undefined && { text }) };
        await call('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
        await call('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode: code });
      },
      /** Types into what has the focus. */
      type: (text: string) => call('Input.insertText', { text }),
      setSize: (to: { width: number; height: number }) =>
        call('Emulation.setDeviceMetricsOverride', { ...to, deviceScaleFactor: 1, mobile: false }),
      /** Each response comes so much later. */
      slowDown: (latency: number) =>
        call('Network.emulateNetworkConditions', { offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 }),
      /** Requests to addresses like these fail; `*` stands for any text. */
      block: (...urls: string[]) => call('Network.setBlockedURLs', { urls }),
      cookies: async () =>
        (await call<{ cookies: { name: string; value: string; httpOnly: boolean; sameSite: string }[] }>('Network.getCookies')).cookies,
      evaluate,
      text: () => evaluate<string>('document.body.innerText'),
      async screenshot(): Promise<Buffer> {
        const { data } = await call<{ data: string }>('Page.captureScreenshot', { captureBeyondViewport: true });
        return Buffer.from(data, 'base64');
      },
    };

    async function loaded(act: () => Promise<unknown>) {
      const before = loads;
      await act();
      await until(() => loads > before);
    }

    /** Works also where scripts of the page do not run. */
    async function evaluate<Value>(expression: string): Promise<Value> {
      const { result, exceptionDetails } = await call<{ result: { value: Value }; exceptionDetails?: object }>('Runtime.evaluate', {
        expression,
        userGesture: true,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      return result.value;
    }

    function noteIssue(issue: { code: string }) {
      if (issue.code === 'ContentSecurityPolicyIssue') problems.push(`policy: ${JSON.stringify(issue)}`);
    }

    function noteRequest(url: string) {
      if (!url.startsWith('data:') && url !== 'about:blank' && new URL(url).origin !== allowedOrigin())
        problems.push(`foreign request: ${url}`);
    }
  }

  async function stop() {
    child.kill('SIGKILL');
    await exited;
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
