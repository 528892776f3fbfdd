import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ada, apiKey, startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await startTestService({ LIMITS_PLAN: 'developer' }, { deliver: false });
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

const limitHeaders = ['ratelimit', 'ratelimit-policy', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'];
const shown = (headers: Headers) => Object.fromEntries(limitHeaders.map((name) => [name, headers.get(name)]));

it('responds to a push over the limit with a SCIM error that names the limit', async () => {
  const first = await directory.scim('POST', '/Users', ada);
  expect([first.status, shown(first.headers)]).toEqual([
    201,
    {
      ratelimit: expect.stringMatching(/^"burst";r=0;t=1, "sustained";r=9;t=(5[789]|60)$/),
      'ratelimit-policy': '"burst";q=1;w=1, "sustained";q=10;w=60',
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1',
      'retry-after': null,
    },
  ]);
  // Concurrently, because a slow machine may take a second for each.
  const responses = await Promise.all(Array.from({ length: 6 }, () => directory.scim('GET', '/Users')));
  const second = responses.find(({ status }) => status === 429)!;
  expect(second.headers.get('retry-after')).toBe('1');
  expect(second.headers.get('content-type')).toMatch('application/scim+json');
  expect(second.body).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '429',
    detail: expect.stringContaining('bucket /scim/**'),
  });
});

it('counts every other path in the fallback bucket, and responds in the envelope', async () => {
  const responses = await Promise.all(Array.from({ length: 20 }, () => service.api('GET', '/api/v1/directory-sync?tenant=a&product=b')));
  const rejected = responses.filter(({ status }) => status === 429);
  expect(rejected.length).toBeGreaterThan(0);
  expect(rejected[0]!.body).toEqual({
    data: null,
    error: {
      code: 'rate_limited',
      status: 429,
      message: expect.any(String),
      layer: 'project',
      bucket: '*',
    },
  });
});

it('never limits health checks', async () => {
  const responses = await Promise.all(Array.from({ length: 20 }, () => fetch(`${service.baseUrl}/health/live`)));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(responses[0]!.headers.has('ratelimit')).toBe(false);
});

it("does not let strangers use up a project's limits", async () => {
  const before = await leftInMinute();
  const paths = ['/nothing/here', '/api/v1/limits', `/api/scim/v2.0/${directory.id}/Users`, '/api/scim/oauth/authorize?directoryId=x'];
  const strangers = await Promise.all(paths.flatMap((path) => Array.from({ length: 10 }, () => fetch(`${service.baseUrl}${path}`))));
  expect(new Set(strangers.map(({ status }) => status))).toEqual(new Set([401, 404, 429]));
  expect(await leftInMinute()).toBe(before - 1);
});

it('returns the policy in force, and counts decisions', async () => {
  const { body } = await until(async () => {
    const response = await service.api('GET', '/api/v1/limits?project=default');
    return response.status === 200 && response;
  });
  expect(body.data).toMatchObject({ project: 'default', plan: 'developer', environment: 'production' });
  expect(body.data.buckets).toHaveLength(13);
  expect(body.data.buckets[3]).toEqual({ bucket: 'GET /admin/identities', rps: 1, rpm: 10 });
  expect(body.data.buckets.at(-1)).toEqual({ bucket: '*', rps: 5, rpm: 150 });
  const text = await until(async () => {
    const response = await fetch(`${service.baseUrl}/metrics`, { headers: { authorization: `Api-Key ${apiKey}` } });
    return response.status === 200 && response.text();
  });
  expect(text).toMatch(/^rollcall_limits_total\{layer="project",bucket="\/scim\/\*\*",outcome="rejected"\} \d+$/m);
  expect(text).toMatch(/^rollcall_limits_total\{layer="volumetric",bucket="address-floods",outcome="allowed"\} \d+$/m);
});

async function leftInMinute() {
  const { headers } = await until(async () => {
    const response = await service.api('GET', '/api/v1/limits');
    return response.status === 200 && response;
  });
  return Number(/"sustained";r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
}

describe('without a plan', () => {
  it('limits nothing, and sends no headers of limits', async () => {
    const free = await startTestService({}, { deliver: false });
    try {
      const responses = await Promise.all(Array.from({ length: 20 }, () => free.api('GET', '/api/v1/directory-sync?tenant=a&product=b')));
      expect(responses.every(({ status }) => status === 200)).toBe(true);
      expect(limitHeaders.filter((name) => responses[0]!.headers.has(name))).toEqual([]);
      expect((await free.api('GET', '/api/v1/limits')).status).toBe(404);
      expect((await free.api('GET', '/api/v1/limits/decision/sessions/whoami')).status).toBe(404);
    } finally {
      await free.stop();
    }
  });
});
