import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createInstallation, type Installation } from '../support/installation.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 180_000;
/** The process ends itself 15 s after the signal at the latest. The rest is for a busy machine. */
const drainMs = 20_000;

let installation: Installation;
let receiver: Receiver;
beforeAll(async () => {
  [installation, receiver] = await Promise.all([
    createInstallation({ env: { WEBHOOK_TIMEOUT_MS: '30000', SCIM_TIMEOUT_MS: '2000' } }),
    startReceiver(),
  ]);
});
afterAll(async () => {
  await installation?.remove();
  await receiver?.close();
});

it(
  'stops in time while a change cannot be committed and a receiver does not respond',
  async () => {
    const held: unknown[] = [];
    receiver.respond = (response) => void held.push(response);
    await using service = await installation.start();
    const [delivering, locked] = [await installation.createDirectory({ webhook_url: receiver.url }), await installation.createDirectory()];
    await delivering.scim('POST', '/Users', { userName: 'ada' });
    const holder = await installation.db.transaction();
    await holder('directories').where({ id: locked.id }).forUpdate().first();
    const pushed = locked.scim('POST', '/Users', { userName: 'grace' }).then(
      ({ status }) => status,
      () => 'dropped',
    );
    await until(async () => {
      const { rows } = await installation.db.raw(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length === 1 && held.length === 1;
    });
    const signalledAtMs = performance.now();
    service.signal('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - signalledAtMs).toBeLessThan(drainMs);
    await holder.rollback();
    expect([503, 'dropped']).toContain(await pushed);
    expect(await installation.db('webhook_attempts').select('outcome', 'error')).toEqual([
      { outcome: 'aborted', error: expect.stringContaining('The worker stopped') },
    ]);
    expect(service.output()).not.toContain('unexpectedly');
  },
  testTimeoutMs,
);
