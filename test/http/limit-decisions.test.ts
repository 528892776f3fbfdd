import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKey, startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const decision = '/api/v1/limits/decision';
const keyOf = (project: string) => `key-of-${project}`.padEnd(32, '-');
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: TestService;
/** A service on the same database that trusts no proxy. */
let untrusting: Awaited<ReturnType<TestService['startAnother']>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const projects = Array.from({ length: 40 }, (_, index) => ({
    id: `p${index}`,
    plan: 'enterprise',
    environment: 'production',
    api_keys: [keyOf(`p${index}`)],
    // One request per minute, because a slow test may take longer than a second.
    overrides: ['GET /admin/identities', '/scim/**'].map((bucket) => ({ bucket, rps: 1, rpm: 1 })),
  }));
  const file = join(folder.path, 'projects.json');
  await writeFile(file, JSON.stringify([...projects, { ...projects[0], id: 'known', environment: 'staging', api_keys: [apiKey] }]));
  service = await startTestService(
    { LIMITS_PLAN: 'production', LIMITS_PROJECTS_FILE: file, TRUSTED_PROXIES: '127.0.0.0/8' },
    { deliver: false },
  );
  untrusting = await service.startAnother({ TRUSTED_PROXIES: '10.0.0.0/8' });
});
afterAll(async () => {
  await untrusting.stop();
  await service.stop();
  await folder[Symbol.asyncDispose]();
});

let projectsUsed = 0;
const freshProject = () => `p${(projectsUsed += 1)}`;

async function ask(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', baseUrl = service.baseUrl, body }: { method?: string; baseUrl?: string; body?: string } = {},
) {
  const response = await fetch(`${baseUrl}${path}`, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  // oxlint-disable-next-line typescript/no-explicit-any
  const parsed: any = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: parsed };
}

/** How each gateway describes a request. */
const conventions = {
  'nginx (auth_request)': (method: string, uri: string, headers: Record<string, string> = {}) =>
    ask(decision, { 'x-original-method': method, 'x-original-uri': uri, ...headers }),
  'Traefik (ForwardAuth)': (method: string, uri: string, headers: Record<string, string> = {}) =>
    ask(decision, {
      'x-forwarded-method': method,
      'x-forwarded-uri': uri,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'x',
      ...headers,
    }),
  'Envoy (ext_authz)': (method: string, uri: string, headers: Record<string, string> = {}) => ask(`${decision}${uri}`, headers, { method }),
};

describe.each(Object.entries(conventions))('%s', (_, asks) => {
  it("allows requests up to the plan's limit, and rejects the next", async () => {
    const headers = { 'x-rollcall-project': freshProject() };
    const allowed = await asks('GET', '/admin/identities?page=2', headers);
    expect([allowed.status, allowed.body]).toEqual([200, { data: { allowed: true, lease: null }, error: null }]);
    expect(allowed.headers.get('ratelimit-policy')).toBe('"burst";q=1;w=1, "sustained";q=1;w=60');
    const rejected = await asks('GET', '/admin//Identities/', headers);
    expect([rejected.status, rejected.body.error]).toEqual([
      429,
      {
        code: 'rate_limited',
        status: 429,
        message: expect.any(String),
        layer: 'project',
        bucket: 'GET /admin/identities',
      },
    ]);
    expect(rejected.headers.get('retry-after')).toMatch(/^(5\d|60)$/);
  });

  it('returns a lease for exclusive requests, and releases it', async () => {
    const headers = { 'x-rollcall-project': freshProject() };
    const first = await asks('PUT', '/admin/identities/4f1c', headers);
    const lease = first.headers.get('x-rollcall-lease')!;
    expect([first.status, first.body.data]).toEqual([200, { allowed: true, lease }]);
    const second = await asks('DELETE', '/admin/identities/4f1c', headers);
    expect([second.status, second.body.error]).toMatchObject([429, { layer: 'inflight', bucket: 'identity' }]);
    expect(second.headers.get('ratelimit-policy')).toBe('"inflight";q=1;qu="concurrent-requests"');
    expect((await ask(`/api/v1/limits/inflight/${lease}`, {}, { method: 'DELETE' })).status).toBe(200);
    expect((await ask(`/api/v1/limits/inflight/${lease}`, {}, { method: 'DELETE' })).status).toBe(404);
    const third = await asks('DELETE', '/admin/identities/4f1c', headers);
    expect(third.status).toBe(200);
    const again = `/api/v1/limits/inflight/${third.headers.get('x-rollcall-lease')}/release`;
    expect((await ask(again, {}, { method: 'POST' })).status).toBe(200);
  });
});

it('allows only one of two concurrent requests for the same resource', async () => {
  const headers = { 'x-rollcall-project': 'default' };
  const responses = await Promise.all(['POST', 'PATCH'].map((method) => ask(`${decision}/admin/identities`, headers, { method })));
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429]);
});

it('distinguishes recoveries by the body or the flow, and only observes', async () => {
  const headers = { 'content-type': 'application/json', 'x-rollcall-project': 'default' };
  const recover = (body: string, query = '') => ask(`${decision}/self-service/recovery${query}`, headers, { method: 'POST', body });
  const ada = await recover('{"email":"ada@example.com","method":"code"}');
  const ben = await recover('{"email":"ben@example.com"}');
  const flow = await recover('', '?flow=7c2e');
  expect([ada, ben, flow].map((response) => typeof response.headers.get('x-rollcall-lease'))).toEqual(['string', 'string', 'string']);
  const again = await recover('{"email":"Ada@example.com"}');
  expect([again.status, again.body.data.lease]).toEqual([200, null]);
  const flowAgain = await recover('{}', '?flow=7c2e');
  expect(flowAgain.body.data.lease).toBeNull();
  const line = service.logs.find(({ layer }) => layer === 'inflight');
  expect(line).toMatchObject({ rule: 'recovery', method: 'POST', project: 'default' });
  expect(JSON.stringify(service.logs)).not.toContain('ada@example.com');
});

it("prefers the project of the caller's key to that of a header", async () => {
  const project = freshProject();
  const headers = { authorization: `Bearer ${keyOf(project)}`, 'x-rollcall-project': freshProject() };
  expect((await ask(`${decision}/scim/v2/Users`, headers)).status).toBe(200);
  expect((await ask(`${decision}/scim/v2/Users`, { 'x-rollcall-project': project })).status).toBe(429);
});

it('rejects contradictory descriptions', async () => {
  const forwarded = { 'x-forwarded-method': 'GET', 'x-forwarded-uri': '/scim/v2/Users' };
  const twice = await ask(decision, { ...forwarded, 'x-original-uri': '/sessions/whoami' });
  expect([twice.status, twice.body.error.message]).toEqual([400, expect.stringContaining('path')]);
  expect((await ask(`${decision}/sessions/whoami`, forwarded)).status).toBe(400);
  expect((await ask(decision, { 'x-forwarded-uri': '/scim/v2/Users' })).status).toBe(400);
  expect((await ask(decision)).status).toBe(400);
});

const from = (headers: Record<string, string>, options: object = {}) =>
  ask(`${decision}/scim/v2/Users`, headers, { baseUrl: untrusting.baseUrl, ...options });

describe('from an untrusted address', () => {
  const withKey = { authorization: `Api-Key ${apiKey}` };

  it('require an API key for decisions and releases', async () => {
    expect((await from({})).status).toBe(401);
    expect((await from({ authorization: 'Api-Key wrong', 'x-forwarded-for': '127.0.0.1' })).status).toBe(401);
    expect((await from({ authorization: `Api-Key ${keyOf('p1')}` })).status).toBe(401);
    const lease = '/api/v1/limits/inflight/00000000-0000-4000-8000-000000000000';
    expect((await ask(lease, {}, { method: 'DELETE', baseUrl: untrusting.baseUrl })).status).toBe(401);
    expect((await ask(lease, withKey, { method: 'DELETE', baseUrl: untrusting.baseUrl })).status).toBe(404);
  });

  it('ignores forwarded headers', async () => {
    const spoofed = {
      ...withKey,
      'x-forwarded-method': 'GET',
      'x-forwarded-uri': '/sessions/whoami',
      'x-original-uri': '/sessions/whoami',
      'x-forwarded-for': '10.0.0.1',
      'x-rollcall-project': 'p39',
      'x-rollcall-authenticated': 'true',
    };
    const first = await from(spoofed);
    expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([200, '"burst";q=1;w=1, "sustained";q=1;w=60']);
    expect((await from(spoofed)).body.error).toMatchObject({ bucket: '/scim/**' });
    expect((await from({ ...withKey, 'x-forwarded-for': '10.0.0.2', 'x-rollcall-project': 'p38' })).status).toBe(429);
    expect((await ask(decision, spoofed, { baseUrl: untrusting.baseUrl })).status).toBe(400);
    // The service that trusts the proxy has counted no request of that project.
    expect((await ask(`${decision}/scim/v2/Users`, { 'x-rollcall-project': 'p39' })).status).toBe(200);
  });

  it('cannot evade the limit of an address with a forged one', async () => {
    const guess = (index: number) =>
      fetch(`${untrusting.baseUrl}/api/v1/directory-sync`, {
        method: 'POST',
        headers: { authorization: `Api-Key guess-${index}`, 'x-forwarded-for': `198.51.100.${index}`, 'x-rollcall-authenticated': 'true' },
      });
    const responses = await Promise.all(Array.from({ length: 60 }, (_, index) => guess(index)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect(await responses.find(({ status }) => status === 429)!.json()).toMatchObject({
      error: { code: 'rate_limited', layer: 'volumetric', bucket: 'unknown-callers' },
    });
    // Valid credentials still work.
    const known = await fetch(`${untrusting.baseUrl}/api/v1/directory-sync`, { method: 'POST', headers: withKey });
    expect(known.status).not.toBe(401);
    expect(known.status).not.toBe(429);
  });
});

const guessFor = (forwardedFor: string) =>
  fetch(`${service.baseUrl}/api/v1/directory-sync`, {
    method: 'POST',
    headers: { authorization: 'Api-Key no', 'x-forwarded-for': forwardedFor },
  });

it('uses only what trusted proxies added to X-Forwarded-For', async () => {
  const many = await Promise.all(Array.from({ length: 40 }, (_, index) => guessFor(`203.0.113.${index}, 198.51.100.7, 127.0.0.9`)));
  expect(many.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  expect((await guessFor('203.0.113.1, 198.51.100.8')).status).toBe(401);
});

it('limits failed authentications of gateways', async () => {
  const { baseUrl } = untrusting;
  const responses = await Promise.all(Array.from({ length: 80 }, () => ask(decision, { authorization: 'Api-Key guess' }, { baseUrl })));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401, 429]));
  expect(responses.find(({ status }) => status === 429)!.body.error.message).toContain('AUTH_FAILURES_PER_SOURCE allows');
});

it('returns the policy of each project', async () => {
  const policy = await ask('/api/v1/limits?project=known', { authorization: `Api-Key ${apiKey}` });
  expect(policy.body.data).toMatchObject({ project: 'known', plan: 'enterprise', environment: 'staging' });
  expect((await ask('/api/v1/limits?project=nobody', { authorization: `Api-Key ${apiKey}` })).body.error).toMatchObject({
    code: 'not_found',
    field: 'project',
  });
  expect((await ask('/api/v1/limits')).status).toBe(401);
});
