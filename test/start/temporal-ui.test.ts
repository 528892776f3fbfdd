import { request as sendRaw } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { findListeningAddresses } from '../../src/embedded/processes.ts';
import { startChromium } from '../support/chromium.ts';
import { createCookieBrowser, type CookieBrowser } from '../support/cookie-browser.ts';
import { type RunningRollcall, startRollcall } from '../support/process.ts';
import { ada, request, toTestDirectory } from '../support/service.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

let folder: TemporaryFolder;
let service: RunningRollcall;
let apiKey: string;
let ui: string;
let administrator: CookieBrowser;
let directory: { id: string; temporal_workflows_url: string };

const api = (method: string, path: string, body?: object) =>
  request(`${service.baseUrl}${path}`, method, body, { authorization: `Api-Key ${apiKey}` });

beforeAll(async () => {
  folder = await temporaryFolder();
  const [port, uiPort] = [await findFreePort(), await findFreePort()];
  ui = `http://127.0.0.1:${uiPort}`;
  service = await startRollcall({
    folder: folder.path,
    env: { ROLLCALL_DATA_DIR: folder.at('data'), PORT: String(port), TEMPORAL_UI_PORT: String(uiPort) },
  });
  apiKey = /API key {2}(\S+) {2}/.exec(service.output())![1]!;
  const { id } = (await api('POST', '/api/v1/directory-sync', { tenant: 'acme', product: 'app' })).body.data;
  directory = (await api('GET', `/api/v1/directory-sync/${id}`)).body.data;
  await toTestDirectory(service.baseUrl, directory as never).scim('POST', '/Users', ada);
  administrator = createCookieBrowser(service.baseUrl);
  await signIn(administrator, apiKey);
}, 180_000);
afterAll(async () => {
  await service?.kill();
  await folder?.[Symbol.asyncDispose]();
});

const signIn = (browser: CookieBrowser, key: string) => browser.api('POST', '/api/v1/sessions', { api_key: key });

const workflowsPath = `/api/v1/namespaces/default/workflows?query=${encodeURIComponent(`WorkflowType = 'mutationGroup'`)}`;

/** The workflow that applied the push. */
async function findWorkflow(): Promise<{ workflowId: string; runId: string }> {
  return until(async () => {
    const { body } = await administrator.send(`${ui}${workflowsPath}`, { headers: { accept: 'application/json' } });
    return body.executions?.[0]?.execution;
  });
}

it('shows workflows to an administrator, and nothing to anybody else', async () => {
  expect(new URL(directory.temporal_workflows_url).origin).toBe(ui);
  const { hostname, port } = new URL(ui);
  const asked = service.baseUrl.replace(hostname, 'localhost');
  const named = await request(`${asked}/api/v1/directory-sync/${directory.id}`, 'GET', undefined, { authorization: `Api-Key ${apiKey}` });
  expect(new URL(named.body.data.temporal_workflows_url).origin).toBe(`http://localhost:${port}`);
  expect((await findWorkflow()).workflowId).toMatch(/^apply:/);
  const settings = await administrator.send(`${ui}/api/v1/settings`, { headers: { accept: 'application/json' } });
  expect(settings.body).toMatchObject({ DisableWriteActions: true, Codec: { Endpoint: `${ui}/codec` } });

  const stranger = await fetch(`${ui}${workflowsPath}`, { headers: { accept: 'text/html' } });
  expect([stranger.status, await stranger.text()]).toEqual([401, expect.stringContaining('Sign in first')]);
  const invented = await fetch(ui, { headers: { cookie: `rollcall_session=${'a'.repeat(43)}` } });
  expect(invented.status).toBe(401);
  for (const limits of [{ preset: 'read-only' }, { preset: 'admin', tenant: 'acme' }]) {
    const limited = createCookieBrowser(service.baseUrl);
    const { body } = await api('POST', '/api/v1/api-keys', { name: 'limited', ...limits });
    await signIn(limited, body.data.key);
    expect((await limited.send(`${ui}${workflowsPath}`)).status).toBe(403);
  }
});

it('survives browsers that leave', async () => {
  const { workflowId, runId } = await findWorkflow();
  const path = `/namespaces/default/workflows/${encodeURIComponent(workflowId)}/${runId}/history`;
  for (let delayMs = 0; delayMs < 40; delayMs += 1) {
    const leaving = new AbortController();
    const asked = administrator.send(`${ui}${path}`, { signal: leaving.signal }).catch(() => 'left');
    setTimeout(() => leaving.abort(), delayMs);
    await asked;
  }
  expect((await findWorkflow()).workflowId).toBe(workflowId);
  expect(service.output()).not.toMatch(/does not respond|Error:/);
});

it('changes nothing, and answers no page of another site', async () => {
  const { workflowId } = await findWorkflow();
  const path = `${ui}/api/v1/namespaces/default/workflows/${encodeURIComponent(workflowId)}/terminate`;
  expect((await administrator.send(path, { method: 'POST', json: {} })).status).toBe(405);
  const foreign = await administrator.send(`${ui}${workflowsPath}`, { headers: { 'sec-fetch-site': 'cross-site' } });
  expect(foreign.status).toBe(403);
  const decoded = await administrator.send(`${ui}/codec/decode`, { method: 'POST', json: { payloads: [] } });
  // It names the console as its origin.
  expect(decoded.status).toBe(403);
  // A domain name that leads to this machine.
  const status = await new Promise<number | undefined>((resolve, reject) => {
    sendRaw(`${ui}${workflowsPath}`, { headers: { host: 'evil.example' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(403);
});

it("has Temporal's own UI at an address that nobody guesses", async () => {
  const pid = Number(/Temporal is ready on port \d+: process (\d+)/.exec(service.output())![1]);
  const hosts = (await findListeningAddresses(pid)).map(({ host }) => host).filter((host) => host !== '127.0.0.1');
  expect(hosts).toEqual([expect.stringMatching(/^127\.\d+\.\d+\.\d+$/)]);
});

it('shows in a browser what a workflow was given, and loads nothing from elsewhere', async () => {
  const { workflowId, runId } = await findWorkflow();
  let origin = service.baseUrl;
  const chromium = await startChromium(() => origin);
  try {
    const page = await chromium.openPage({ height: 2_000 });
    await page.open(`${service.baseUrl}/console/sign-in`);
    await page.evaluate(`document.querySelector('input[name=api_key]').value = ${JSON.stringify(apiKey)}`);
    await page.click('form button');
    // The console has been read.
    await until(async () => (await page.text()).includes('Overview'));
    await page.open('about:blank');
    origin = ui;
    await page.open(`${ui}/namespaces/default/workflows/${encodeURIComponent(workflowId)}/${runId}/history`);
    await until(async () => (await page.text()).includes(ada.userName));
    expect(page.problems).toEqual([]);
  } finally {
    await chromium.stop();
  }
}, 120_000);
