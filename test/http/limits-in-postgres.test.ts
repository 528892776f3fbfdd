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
  let [allowed, uncounted] = [0, 0];
  const isExhausted = async (baseUrl: string) => {
    const { status, headers } = await decide(baseUrl, '/admin/recovery/code');
    if (status === 200 && headers.has('ratelimit')) allowed += 1;
    else if (status === 200) uncounted += 1;
    // The limit of each second, which is 10, has a shorter time.
    return status === 429 && Number(headers.get('retry-after')) > 10;
  };
  await until(async () => (await isExhausted(service.baseUrl)) && (await isExhausted(another.baseUrl)), { everyMs: 20 });
  // The limit of each minute is 30. A request that the database does not count in time is allowed, and so are those of the next second.
  expect(allowed + uncounted).toBeGreaterThanOrEqual(30);
  expect(allowed).toBeLessThan(45);
});

it('shares leases between services', async () => {
  // A request that the database does not answer in time is allowed without a lease.
  const lease = await until(async () => (await decide(service.baseUrl, '/admin/identities')).headers.get('x-rollcall-lease'));
  await until(async () => (await decide(another.baseUrl, '/admin/identities', 'PATCH')).status === 429);
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

  const countWarnings = () => service.logs.filter(({ msg }) => msg === 'limit store failed; requests are not limited').length;
  const warningsBefore = countWarnings();
  expect(warningsBefore).toBeGreaterThan(0);
  await service.db.raw('drop table limit_counters, limit_leases');
  const responses = await Promise.all(Array.from({ length: 50 }, () => decide(service.baseUrl, '/admin/identities')));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(countWarnings() - warningsBefore).toBeLessThanOrEqual(2);
  const text = await (await fetch(`${service.baseUrl}/metrics`, { headers: { authorization: `Api-Key ${apiKey}` } })).text();
  expect(Number(/^rollcall_limits_store_failures_total (\d+)$/m.exec(text)![1])).toBeGreaterThanOrEqual(50);
});
