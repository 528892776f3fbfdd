import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  // One connection for searches, and one for everything else.
  service = await startTestService({ DATABASE_POOL_SIZE: '2' });
});
afterAll(() => service.stop());

it('keeps the lease of a worker while all other connections of its process wait', async () => {
  const { db } = service;
  const [directory, holder] = [await service.createDirectory(), await db.transaction()];
  await holder.raw('lock table all_directories in access exclusive mode');
  // Each waits for the lock, and fails after its timeout.
  const pushes = ['a', 'b', 'c'].map((userName) => directory.scim('POST', '/Users', { userName }));
  await until(async () => {
    const { rows } = await db.raw(`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`);
    return rows.length > 0;
  });
  // A busy machine may renew it a second too late. If a renewal waited for the connection, it would be at least two seconds late.
  const read = async () => {
    const { rows } = await db.raw<{ rows: { at: Date; isHeld: boolean }[] }>(
      `select expires_at as at, expires_at > now() - interval '1 second' as "isHeld" from delivery_workers`,
    );
    return rows[0]!;
  };
  const { at: before } = await read();
  const seen: boolean[] = [];
  await until(
    async () => {
      const { at, isHeld } = await read();
      seen.push(isHeld);
      return at.getTime() > before.getTime() + 3_000;
    },
    { timeoutMs: 15_000 },
  );
  expect(seen).not.toContain(false);
  await holder.rollback();
  await Promise.all(pushes);
}, 60_000);
