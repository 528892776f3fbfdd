import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consoleFolder } from '../../src/paths.ts';
import { createCookieBrowser } from '../support/cookie-browser.ts';
import { apiKey, shareTestService, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const get = (path: string, headers = {}) => fetch(`${service.baseUrl}${path}`, { headers, redirect: 'manual' });

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

it('the script has at most 60 KB, compressed', async () => {
  const script = await readFile(join(consoleFolder(), 'console.js'));
  expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(60_000);
});

it('each address of the console is the same page, without data, for everyone', async () => {
  const texts = new Set<string>();
  for (const path of ['/console', '/console/', '/console/directories', '/console/directories/1/settings?a=b', '/console/nothing']) {
    const response = await get(path);
    expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
    expect(response.headers.get('content-security-policy')).toBe(policy);
    expect(
      ['cache-control', 'referrer-policy', 'x-content-type-options', 'x-frame-options'].map((name) => response.headers.get(name)),
    ).toEqual(['no-store', 'same-origin', 'nosniff', 'DENY']);
    texts.add(await response.text());
  }
  const browser = createCookieBrowser(service.baseUrl);
  await browser.send('/console/sign-in', { method: 'POST', form: { api_key: apiKey } });
  texts.add((await browser.send('/console')).text);
  expect(texts.size).toBe(1);
  expect([...texts][0]).not.toMatch(/<script>|<style>|style=|onload/);
});

it.each([
  ['/console/assets/console.js', 'application/javascript; charset=utf-8'],
  ['/console/assets/console.css', 'text/css; charset=utf-8'],
])('%s is compressed, and kept until it changes', async (path, type) => {
  const { status, headers } = await get(path);
  expect([status, headers.get('content-encoding'), headers.get('cache-control')]).toEqual([200, 'gzip', 'no-cache']);
  expect(headers.get('content-type')!.replace('text/javascript', 'application/javascript')).toBe(type);
  expect((await get(path, { 'if-none-match': headers.get('etag')! })).status).toBe(304);
});

it('other files, other methods and other addresses are not found', async () => {
  expect((await get('/console/assets/console.map')).status).toBe(404);
  expect((await get('/console/assets/..%2f..%2fpackage.json')).status).toBe(404);
  expect((await get('/consoles')).status).toBe(404);
  expect((await fetch(`${service.baseUrl}/console/directories`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${service.baseUrl}/console`, { method: 'HEAD' })).status).toBe(200);
});

it('works below a path, where a proxy serves it', async () => {
  const proxied = await startTestService({ EXTERNAL_URL: 'https://app.example/<sync>' }, { deliver: false });
  const text = await (await fetch(`${proxied.baseUrl}/console`)).text();
  expect(text).toContain('data-base="/%3Csync%3E"');
  expect(text).toContain('src="/%3Csync%3E/console/assets/console.js"');
  await proxied.stop();
});

const list = async (query: string) => (await service.api('GET', `/api/v1/directory-sync/all?${query}`)).body;
const namesOf = async (query: string) => (await list(`product=found&${query}`)).data.map(({ name }: { name: string }) => name);
const create = (name: string, tenant: string, type: string) => service.createDirectory({ name, tenant, product: 'found', type });

describe('what the console reads', () => {
  it('finds directories by a part of the name, tenant or product, by ID, and by provider', async () => {
    const one = await create('Käse 100%_sure', 'umbrella', 'okta-scim-v2');
    await create('Other', 'initech', 'azure-scim-v2');
    for (const search of ['käse', 'KÄSE', '%25_SURE', 'UMBREL', one.id, one.id.toUpperCase(), ' sure '])
      expect([search, await namesOf(`search=${search}`)]).toEqual([search, ['Käse 100%_sure']]);
    // No pattern: the signs stand for themselves.
    expect([await namesOf('search=%25%25'), await namesOf('search=K%5Fse')]).toEqual([[], []]);
    expect(await namesOf('search=found')).toEqual(['Other', 'Käse 100%_sure']);
    expect(await namesOf('type=azure-scim-v2')).toEqual(['Other']);
    expect(await namesOf('tenant=initech&search=other&type=azure-scim-v2&health=waiting_for_first_push')).toEqual(['Other']);
    expect(await namesOf('tenant=initech&search=käse')).toEqual([]);
    expect((await list('type=nothing')).error.field).toBe('type');
  });

  it('turns pages within a search, and a cursor belongs to its search', async () => {
    const first = await list('product=found&search=found&limit=1');
    const second = await list(`product=found&search=found&limit=1&cursor=${first.next_cursor}`);
    expect([first.data[0].name, second.data[0].name]).toEqual(['Other', 'Käse 100%_sure']);
    expect((await list(`product=found&search=other&limit=1&cursor=${first.next_cursor}`)).error.field).toBe('cursor');
  });

  it('leaves secrets out on request, and then notes no read of them', async () => {
    const directory = await service.createDirectory({ product: 'found', webhook_url: 'https://app.example/hook' });
    const path = `/api/v1/directory-sync/${directory.id}`;
    const reads = async () =>
      (await service.api('GET', `/api/v1/audit-log?action=directory.secrets_read&directory_id=${directory.id}`)).body.data.length;
    const [hidden] = (await list('product=found&include_secrets=false&limit=1')).data;
    const { data } = (await service.api('GET', `${path}?include_secrets=false`)).body;
    for (const { scim, webhook } of [hidden, data])
      expect([scim.secret, webhook.secret, scim.secret_hint]).toEqual([null, null, expect.stringContaining(directory.secret.slice(-4))]);
    expect(await reads()).toBe(0);
    expect((await service.api('GET', `${path}?include_secrets=true`)).body.data.scim.secret).toBe(directory.secret);
    expect(await reads()).toBe(1);
    expect((await service.api('GET', `${path}?include_secrets=perhaps`)).body.error.field).toBe('include_secrets');
    const update = async (fields: object) => (await service.api('PATCH', path, fields)).body;
    expect((await update({ name: 'Found' })).data.scim.secret).toBe(directory.secret);
    const { scim, webhook } = (await update({ name: 'Found again', include_secrets: false })).data;
    expect([scim.secret, webhook.secret]).toEqual([null, null]);
    await update({ webhook_url: '' });
    // The secret of a new webhook, and of nothing else.
    const created = (await update({ webhook_url: 'https://app.example/new', include_secrets: false })).data;
    expect([created.scim.secret, created.webhook.secret]).toEqual([null, expect.stringContaining('whsec_')]);
    expect((await update({ include_secrets: 'perhaps' })).error.field).toBe('include_secrets');
  });
});
