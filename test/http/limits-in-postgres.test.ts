import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { apiKey, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let another: Awaited<ReturnType<TestService['startAnother']>>;
beforeAll(async () => {
  service = await startTestService(
    { LIMITS_PLAN: 'production', LIMITS_STORE: 'postgres', TRUSTED_PROXIES: '127.0.0.0/8' },
    { deliver: false },
  );
  another = await service.startAnother();
});
afterAll(async () => {
  await another.stop();
  await service.stop();
});

const decide = (baseUrl: string, path: string, method = 'POST') => fetch(`${baseUrl}/api/v1/limits/decision${path}`, { method });

it('shares limits between services', async () => {
  let allowed = 0;
  let count = 0;
  await until(async () => {
    const { status } = await decide((count += 1) % 2 === 0 ? service.baseUrl : another.baseUrl, '/admin/recovery/code');
    if (status === 200) allowed += 1;
    return allowed === 30;
  });
  for (const { baseUrl } of [service, another]) {
    const rejected = await decide(baseUrl, '/admin/recovery/code');
    expect(rejected.status).toBe(429);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(10);
  }
});

it('shares leases between services', async () => {
  const first = await decide(service.baseUrl, '/admin/identities');
  expect((await decide(another.baseUrl, '/admin/identities', 'PATCH')).status).toBe(429);
  const lease = first.headers.get('x-rollcall-lease');
  expect((await fetch(`${another.baseUrl}/api/v1/limits/inflight/${lease}`, { method: 'DELETE' })).status).toBe(200);
  expect((await decide(another.baseUrl, '/admin/identities', 'PATCH')).status).toBe(200);
});

it('allows requests in time while its tables are locked or missing', async () => {
  const locked = await service.db.transaction();
  await locked.raw('lock table limit_counters, limit_leases in access exclusive mode');
  const startedMs = performance.now();
  const directories = await service.api('GET', '/api/v1/directory-sync?tenant=a&product=b');
  expect([directories.status, directories.headers.has('ratelimit')]).toEqual([200, false]);
  expect((await decide(service.baseUrl, '/admin/identities')).status).toBe(200);
  expect(performance.now() - startedMs).toBeLessThan(20_000);
  await locked.rollback();
  await until(async () => (await service.api('GET', '/api/v1/limits')).headers.has('ratelimit'));

  await service.db.raw('drop table limit_counters, limit_leases');
  const responses = await Promise.all(Array.from({ length: 50 }, () => decide(service.baseUrl, '/admin/identities')));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  const warnings = service.logs.filter(({ msg }) => msg === 'limit store failed; requests are not limited');
  expect(warnings.length).toBeGreaterThan(0);
  expect(warnings.length).toBeLessThanOrEqual(2);
  const text = await (await fetch(`${service.baseUrl}/metrics`, { headers: { authorization: `Api-Key ${apiKey}` } })).text();
  expect(Number(/^rollcall_limits_store_failures_total (\d+)$/m.exec(text)![1])).toBeGreaterThanOrEqual(50);
});
