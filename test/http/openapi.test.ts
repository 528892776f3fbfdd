import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDocument } from '../../src/http/openapi/create-document.ts';
import { shareTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { readVersion } from '../../src/paths.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => fetch(`${service.baseUrl}${path}`, { method, headers });

it('serves the OpenAPI document with its own address, without authentication', async () => {
  const response = await get('/openapi.json');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  const { baseUrl } = service;
  const document = createDocument({ baseUrl, version: readVersion(), limiting: false });
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
});

it('uses EXTERNAL_URL as its address', async () => {
  const another = await service.startAnother({ EXTERNAL_URL: 'https://sync.example' });
  try {
    const response = await fetch(`http://127.0.0.1:${new URL(another.baseUrl).port}/openapi.json`);
    expect(await response.json()).toMatchObject({ servers: [{ url: 'https://sync.example' }] });
  } finally {
    await another.stop();
  }
});

it('serves a page that loads nothing', async () => {
  const response = await get('/docs');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  const page = await response.text();
  expect(page).toContain('/api/v1/directory-sync/{directoryId}');
  expect(page).not.toMatch(/<(?:link|img|iframe|script)[^>]+(?:src|href)="(?!data:)/i);
  expect(page).not.toMatch(/@import|\burl\(/i);
});

it('serves every guide that the page or a guide links to, with the heading of the link, and no other file', async () => {
  const pages = new Map([['/docs', await (await get('/docs')).text()]]);
  const links = new Map<string, string>();
  for (const [from, text] of pages) {
    for (const [, href] of text.matchAll(/<a href="((?:\/docs\/|#)[^"]+)"/g)) {
      const { pathname, hash } = new URL(href!, `${service.baseUrl}${from}`);
      if (pathname !== '/docs') links.set(`${pathname}${hash}`, from);
      if (pages.has(pathname)) continue;
      const response = await get(pathname);
      expect([pathname, response.status, response.headers.get('content-type')]).toEqual([pathname, 200, 'text/html; charset=utf-8']);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      pages.set(pathname, await response.text());
    }
  }
  expect(pages.size).toBeGreaterThan(25);
  const broken = [...links].filter(([link]) => {
    const { pathname, hash } = new URL(link, service.baseUrl);
    return hash !== '' && !pages.get(pathname)!.includes(` id="${decodeURIComponent(hash.slice(1))}"`);
  });
  expect(broken).toEqual([]);
  const others = ['/docs/guides/unknown', '/docs/guides/..%2f..%2fpackage', '/docs/..%2f/README', '/docs/operate/deploy.md'];
  for (const path of others) expect([path, (await get(path)).status]).toEqual([path, 404]);
});

it('shows no comment of a guide', async () => {
  const page = await (await get('/docs/guides/providers-okta')).text();
  expect(page).toContain('SCIM connector base URL');
  expect(page).not.toContain('steps: start');
});

it('redirects the root to the page', async () => {
  const response = await fetch(`${service.baseUrl}/`, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
  expect((await get('/')).url).toBe(`${service.baseUrl}/docs`);
  expect((await get('/', {}, 'POST')).status).toBe(405);
});

it.each(['/openapi.json', '/docs', '/docs/guides/users-table'])('responds with 304 when %s has not changed', async (path) => {
  const etag = (await get(path)).headers.get('etag')!;
  const again = await get(path, { 'if-none-match': `"other", W/${etag}` });
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  const head = await get(path, {}, 'HEAD');
  expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', etag]);
});

it('limits requests for it, and describes limits, when limits are configured', async () => {
  const limited = await service.startAnother({ LIMITS_PLAN: 'developer' });
  try {
    const first = await fetch(`${limited.baseUrl}/openapi.json`);
    expect(first.headers.get('ratelimit-policy')).toBe('"burst";q=5;w=1, "sustained";q=150;w=60');
    expect(Object.keys(((await first.json()) as { paths: object }).paths)).toContain('/api/v1/limits');
    const paths = ['/', '/openapi.json', '/docs'];
    const read = (path: string) => fetch(`${limited.baseUrl}${path}`, { redirect: 'manual' });
    const decisions: Record<number, string> = { 200: 'allowed', 302: 'allowed', 429: 'rejected' };
    const found = new Set<unknown>();
    await until(async () => {
      const responses = await Promise.all(paths.flatMap((path) => Array.from({ length: 10 }, () => read(path))));
      for (const { status } of responses) found.add(decisions[status] ?? status);
      return found.size > 1;
    });
    expect(found).toEqual(new Set(['allowed', 'rejected']));
  } finally {
    await limited.stop();
  }
});

it('rejects other methods', async () => {
  const response = await get('/openapi.json', {}, 'DELETE');
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
