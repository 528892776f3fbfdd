import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { expectInOrder, expectStored, receivedFor, untilDelivered } from '../support/deliveries.ts';
import { startOtherTenant } from '../support/hostile/other-tenant.ts';
import { fail, startReceiver, take, type Receiver } from '../support/receiver.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { startWriters } from '../support/writers.ts';

const limit = 100_000;
/** HOSTILE_WORST_MS=2000 is the limit on a quiet machine. */
const worstMs = Number(process.env['HOSTILE_WORST_MS'] ?? 12_000);
const attackMs = Number(process.env['ATTACK_SECONDS'] ?? 8) * 1_000;

let service: TestService;
let [dead, alive]: Receiver[] = [];
beforeAll(async () => {
  service = await startTestService({ MAX_UNDELIVERED_BYTES_PER_DIRECTORY: String(limit), WEBHOOK_RETRY_SCHEDULE: retryEvery(0.2) });
});
afterAll(() => service.stop());
beforeEach(async () => {
  [dead, alive] = await Promise.all([startReceiver(), startReceiver()]);
  dead.respond = fail;
});
afterEach(() => Promise.all([dead!.close(), alive!.close()]));

const print = (text: string) => process.stdout.write(`${text}\n`);
const undelivered = async ({ id }: TestDirectory) => {
  const { body } = await service.api('GET', `/api/v1/directory-sync/${id}`);
  return body.data.health.quotas.undelivered_bytes as { used: number; limit: number };
};
const rowsOf = async (table: string, { id }: TestDirectory) =>
  Number((await service.db(table).where({ directory_id: id }).count())[0]!['count']);

it(
  'rejects changes at the limit while a receiver is down, does not affect the other tenant, and delivers everything accepted once the receiver is back',
  async () => {
    const attacker = await service.createDirectory({ tenant: 'a', webhook_url: dead!.url });
    const beside = await service.createDirectory({ tenant: 'b', webhook_url: alive!.url });
    const otherTenant = startOtherTenant({ ...beside, baseUrl: service.baseUrl });
    const writers = startWriters([attacker], { writers: 16 });
    await until(async () => (await undelivered(attacker)).used >= limit, { timeoutMs: 30_000 });
    const [full, events, outcomes] = [
      await undelivered(attacker),
      await rowsOf('stored_events', attacker),
      await rowsOf('mutations', attacker),
    ];
    const accepted = writers.acknowledged.length;
    await until(async () => (writers.responses['503'] ?? 0) > attackMs / 50, { timeoutMs: 10 * attackMs });

    // 16 are concurrent, and the last of them may have been accepted in the meantime.
    expect(await undelivered(attacker)).toEqual(full);
    expect(full.used).toBeLessThan(limit + limit / events + 1_000);
    expect(await rowsOf('stored_events', attacker)).toBe(events);
    // Rejected changes leave nothing behind.
    expect(await rowsOf('mutations', attacker)).toBe(outcomes);
    expect(writers.acknowledged.length - accepted).toBeLessThanOrEqual(16);
    expect(writers.wrong).toEqual([]);
    // It pushes ten times a second, and the success of its last webhook may not be recorded yet.
    await until(async () => (await undelivered(beside)).used < 10_000);
    const figures = await otherTenant.takeFigures();
    expect(figures.failures).toEqual([]);
    expect(figures.worstMs).toBeLessThan(worstMs);
    print(
      `Dead receiver: ${events} events, ${full.used} of ${limit} bytes, then ${writers.responses['503']} pushes got 503; the other tenant's worst response took ${figures.worstMs} ms`,
    );

    dead!.respond = take;
    const before = writers.acknowledged.length;
    await until(() => writers.acknowledged.length > before + 100, { timeoutMs: 60_000 });
    const [, lastFigures] = await Promise.all([writers.stop(), otherTenant.stop()]);
    const last = await untilDelivered(service.db, attacker);
    expectInOrder(receivedFor(dead!, attacker), attacker, last);
    await expectStored(service.db, attacker, writers.acknowledged);
    expect(writers.wrong).toEqual([]);
    expect((await undelivered(attacker)).used).toBe(0);
    expect(lastFigures.failures).toEqual([]);
    expect(lastFigures.worstMs).toBeLessThan(worstMs);
    const lastBeside = await untilDelivered(service.db, beside);
    expectInOrder(receivedFor(alive!, beside), beside, lastBeside);
  },
  20 * attackMs + 120_000,
);

it('rejects deletions, PATCHes and Bulk requests too while a directory is at its limit, and still allows reads', async () => {
  const { id, scim } = await service.createDirectory({ webhook_url: dead!.url });
  const { body: user } = await scim('POST', '/Users', { userName: 'ada', title: 'x'.repeat(limit) });
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
  const requests: [string, string, unknown?][] = [
    ['POST', '/Users', { userName: 'ben' }],
    ['PUT', `/Users/${user.id}`, { userName: 'ada' }],
    ['PATCH', `/Users/${user.id}`, { schemas, Operations: [{ op: 'replace', path: 'active', value: false }] }],
    ['DELETE', `/Users/${user.id}`],
    ['POST', '/Groups', { displayName: 'staff' }],
    [
      'POST',
      '/Bulk',
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: [{ method: 'POST', path: '/Users', bulkId: '1', data: { userName: 'eve' } }],
      },
    ],
  ];
  for (const [method, path, request] of requests) {
    const { status, headers, body } = await scim(method, path, request);
    expect([method, path, status, headers.get('retry-after')]).toEqual([method, path, 503, '5']);
    expect(body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '503',
      detail: expect.stringContaining('MAX_UNDELIVERED_BYTES_PER_DIRECTORY'),
    });
  }
  expect((await scim('GET', '/Users')).body).toMatchObject({ totalResults: 1 });

  // The operator skips the pending events, and the directory accepts changes again.
  await service.api('POST', `/api/v1/directory-sync/${id}/pause`);
  expect((await service.api('POST', `/api/v1/directory-sync/${id}/resume`, { from: 'now' })).status).toBe(200);
  await until(async () => (await scim('DELETE', `/Users/${user.id}`)).status === 204);
});
